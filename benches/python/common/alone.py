"""Keeps the systems that are measured to one thread and off the network. Imported before any of them.

They read these variables when they are imported, so this module acts on import and needs nothing but the standard
library.
"""

from __future__ import annotations

import logging
import os
import tempfile

#: Home folder of a measured process, instead of the user's.
FOLDER = tempfile.mkdtemp(prefix="bardo-peers-")

os.environ.update(
    {
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "ANONYMIZED_TELEMETRY": "False",
        "MEM0_TELEMETRY": "False",
        "MEM0_DIR": f"{FOLDER}/mem0",
        "MEMPALACE_CONFIG_DIR": f"{FOLDER}/mempalace",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
)
for name in ("mem0", "chromadb", "mempalace", "mempalace_mcp"):
    logging.getLogger(name).setLevel(logging.ERROR)
