"""Made-up English sentences with their French translations."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.io import files
from headwater.io.atomic_file import write_atomically

TRAIN, DEVELOPMENT = "made-up-train", "made-up-dev"
_COUNTS = {TRAIN: 2000, DEVELOPMENT: 100}

# A subject, and the number of its form in the verbs below.
_SUBJECTS = (("I", "je", 0), ("you", "vous", 1), ("we", "nous", 2), ("they", "ils", 3))
_VERBS = (
    ("see", ("vois", "voyez", "voyons", "voient")),
    ("want", ("veux", "voulez", "voulons", "veulent")),
    ("sell", ("vends", "vendez", "vendons", "vendent")),
    ("take", ("prends", "prenez", "prenons", "prennent")),
)
# A noun, and whether it is feminine.
_NOUNS = (
    ("house", "maison", True),
    ("car", "voiture", True),
    ("door", "porte", True),
    ("book", "livre", False),
    ("boat", "bateau", False),
    ("garden", "jardin", False),
)
_ADJECTIVES = (
    ("red", "rouge", "rouge"),
    ("green", "vert", "verte"),
    ("black", "noir", "noire"),
    ("white", "blanc", "blanche"),
)


def _clause(rng: np.random.RandomState) -> tuple[str, str]:
    """A clause in English and in French."""
    subject, sujet, form = _SUBJECTS[rng.randint(len(_SUBJECTS))]
    verb, forms = _VERBS[rng.randint(len(_VERBS))]
    noun, nom, feminine = _NOUNS[rng.randint(len(_NOUNS))]
    article = "la" if feminine else "le"
    kind = rng.randint(3)
    if kind == 0:
        return f"{subject} {verb} it", f"{sujet} le {forms[form]}"
    if kind == 1:
        return f"{subject} {verb} the {noun}", f"{sujet} {forms[form]} {article} {nom}"
    adjective, *endings = _ADJECTIVES[rng.randint(len(_ADJECTIVES))]
    french = f"{sujet} {forms[form]} {article} {nom} {endings[feminine]}"
    return f"{subject} {verb} the {adjective} {noun}", french


def _sentence(rng: np.random.RandomState) -> tuple[str, str]:
    clauses = [_clause(rng) for _ in range(rng.choice([1, 2, 3], p=[0.6, 0.3, 0.1]))]
    english, french = zip(*clauses)
    return f"{' and '.join(english)} .\n", f"{' et '.join(french)} .\n"


def write_sample(directory: Any) -> tuple[str, str]:
    """Writes the sentences unless they are there: 2,000 to train with, and 100 others.

    Args:
        directory: a folder, a path or a URL.

    Returns:
        The paths of both parts, without the endings ".en" and ".fr".
    """
    files.make_folders(directory)
    for seed, (name, count) in enumerate(_COUNTS.items()):
        rng = np.random.RandomState(seed)
        languages = zip(*(_sentence(rng) for _ in range(count)))
        for ending, lines in zip(("en", "fr"), languages):
            path = files.join_path(directory, f"{name}.{ending}")
            if not files.is_file(path):
                write_atomically(path, "".join(lines).encode())
    return files.join_path(directory, TRAIN), files.join_path(directory, DEVELOPMENT)
