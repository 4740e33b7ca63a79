"""Specs of a grid of instances: TOML in, frozen dataclasses out, nothing guessed."""

from __future__ import annotations

import dataclasses
import difflib
import math
import re
import tomllib
import types
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hybridkg.errors import ConfigError
from hybridkg.training.models import find_model

_SPEC_KEYS = ("dataset", "out", "seeds", "models")
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One model of a grid with all its options, defaults written out."""

    #: registered model name.
    model: str
    #: start of its instances' folder names; the model name unless given.
    label: str
    #: the model's own frozen options.
    config: Any


@dataclass(frozen=True, slots=True)
class InstanceSpec:
    """One instance: a model, its options, and a seed."""

    model: ModelSpec
    #: None for a model that gives the same result for every seed.
    seed: int | None

    @property
    def name(self) -> str:
        """Folder name: ``complex-s0``; without a seed the label alone."""
        return self.model.label if self.seed is None else f"{self.model.label}-s{self.seed}"


@dataclass(frozen=True, slots=True)
class Spec:
    """A grid: each model with each seed on one data set."""

    #: folder, relative to the current directory, or registered name.
    dataset: str
    #: folder of the instances, relative to the current directory.
    out: str
    seeds: tuple[int, ...]
    models: tuple[ModelSpec, ...]

    def instances(self) -> tuple[InstanceSpec, ...]:
        """Return all instances: models in order, each with every seed.

        A deterministic model (rules, constant, frequency) has one instance,
        however many seeds there are.
        """
        return tuple(
            InstanceSpec(model, seed)
            for model in self.models
            for seed in (self.seeds if find_model(model.model).seeded else (None,))
        )


def read_spec(path: str | Path) -> Spec:
    """Read a TOML spec in UTF-8, with or without a byte order mark.

    Raises:
        ConfigError: the file is missing or no TOML, a key is unknown, missing or of a wrong
            type, a value is out of range, or the options do not fit the model.
    """
    try:
        document = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: expected a TOML file; {error}") from error
    return parse_spec(document, where=str(path))


def parse_spec(document: Mapping[str, Any], *, where: str = "spec") -> Spec:
    """Check a spec given as nested mappings.

    Args:
        document: keys dataset, out, seeds (default [0]) and models.
        where: name of the source, for messages.

    Raises:
        ConfigError: as for :func:`read_spec`.
    """
    _refuse_unknown(document, _SPEC_KEYS, where)
    for key in ("dataset", "out"):
        if key not in document:
            raise ConfigError(f'{where}: {key} is missing; expected a line {key} = "..."')
        if not isinstance(document[key], str) or not document[key]:
            raise ConfigError(f"{where}: {key} = {document[key]!r}; expected a text")
    entries = document.get("models")
    if not isinstance(entries, list) or not entries:
        raise ConfigError(f"{where}: no models; expected at least one [[models]] table with a name")
    models = tuple(
        _parse_model(entry, f"{where}: models[{number}]") for number, entry in enumerate(entries)
    )
    labels = [model.label for model in models]
    for label in labels:
        if labels.count(label) > 1:
            raise ConfigError(
                f"{where}: {labels.count(label)} models are called {label!r}, so they would share "
                'folders; give them different names with label = "..."'
            )
    spec = Spec(
        document["dataset"],
        document["out"],
        _parse_seeds(document.get("seeds", [0]), where),
        models,
    )
    names = [instance.name for instance in spec.instances()]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ConfigError(f"{where}: two instances are called {twice!r}; change a label")
    return spec


def make_config(config: type[Any], options: Mapping[str, Any], where: str) -> Any:
    """Build a frozen options dataclass from a mapping, checking names and types.

    Args:
        config: dataclass with a default for each field.
        options: field name -> value.
        where: start of messages.

    Raises:
        ConfigError: unknown option, wrong type, or a value out of range.
    """
    hints = get_type_hints(config)
    _refuse_unknown(options, [field.name for field in dataclasses.fields(config)], where)
    values = {}
    for name, value in options.items():
        if not _fits(value, hints[name]):
            raise ConfigError(f"{where}: {name} = {value!r}; expected {_words(hints[name])}")
        # TOML tells 1 from 1.0; an option that is a number of any kind takes both.
        values[name] = float(value) if hints[name] is float else value
    try:
        return config(**values)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from error


def _parse_model(entry: Any, where: str) -> ModelSpec:
    if not isinstance(entry, dict):
        raise ConfigError(f"{where}: {entry!r}; expected a table with a name")
    if not isinstance(entry.get("name"), str):
        found = f"name = {entry['name']!r}" if "name" in entry else "name is missing"
        raise ConfigError(f"{where}: {found}; expected the name of a model")
    name = entry["name"]
    try:
        kind = find_model(name)
    except LookupError as error:
        raise ConfigError(f"{where}: {error}") from error
    label = entry.get("label", name)
    if not isinstance(label, str) or not _LABEL.fullmatch(label):
        raise ConfigError(
            f"{where}: label = {label!r}; expected letters, digits and . _ + -, as it names folders"
        )
    options = {key: value for key, value in entry.items() if key not in ("name", "label")}
    config = make_config(kind.config, options, f"{where} ({name})")
    try:
        kind.check(config)
    except ConfigError as error:
        raise ConfigError(f"{where} ({name}): {error}") from error
    return ModelSpec(name, label, config)


def _parse_seeds(seeds: Any, where: str) -> tuple[int, ...]:
    is_list = isinstance(seeds, list) and len(seeds) > 0
    if not is_list or not all(type(seed) is int and 0 <= seed < 2**63 for seed in seeds):
        raise ConfigError(f"{where}: seeds = {seeds!r}; expected a list of whole numbers from 0 on")
    if len(set(seeds)) < len(seeds):
        raise ConfigError(f"{where}: seeds = {seeds!r}; expected each seed once")
    return tuple(seeds)


def _refuse_unknown(given: Iterable[str], known: Iterable[str], where: str) -> None:
    known = list(known)
    for key in given:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            listed = ", ".join(known) or "none"
            raise ConfigError(f"{where}: unknown key {key!r}; {hint}known keys: {listed}")


def _fits(value: Any, hint: Any) -> bool:
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_origin(hint) in (Union, types.UnionType):
        return any(_fits(value, part) for part in get_args(hint))
    if hint is float:
        return type(value) in (int, float) and math.isfinite(value)
    # bool is an int in Python, but "epochs = true" is a mistake.
    return type(value) is hint


def _words(hint: Any) -> str:
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(repr(value) for value in get_args(hint))
    if get_origin(hint) in (Union, types.UnionType):
        return " or ".join(_words(part) for part in get_args(hint))
    words = {int: "a whole number", float: "a finite number", bool: "true or false", str: "a text"}
    return words.get(hint, str(hint))
