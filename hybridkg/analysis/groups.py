"""Named groups of instances: by hand, by model, and all of them together."""

from __future__ import annotations

from collections.abc import Sequence

from hybridkg.errors import ConfigError, UnknownNameError
from hybridkg.evaluation.rank_table import RankTable

ALL = "all"


def parse_group(text: str) -> tuple[str, tuple[str, ...]]:
    """Read ``NAME=a,b`` into a group name and instance names.

    Raises:
        ConfigError: there is no name, no member, or a member stands twice.
    """
    name, separator, listed = text.partition("=")
    members = tuple(part.strip() for part in listed.split(",") if part.strip())
    if not separator or not name.strip() or not members:
        raise ConfigError(f"group {text!r}; expected NAME=INSTANCE,INSTANCE,...")
    if len(set(members)) != len(members):
        raise ConfigError(f"group {text!r} names an instance twice; name each once")
    return name.strip(), members


def model_of(table: RankTable, instance: str) -> str:
    """Return the model of an instance, or its own name where none is recorded."""
    return str(table.about.get(instance, {}).get("model", instance))


def make_groups(
    table: RankTable, wanted: Sequence[tuple[str, tuple[str, ...]]] = ()
) -> dict[str, tuple[str, ...]]:
    """Collect the groups to study.

    Args:
        table: its instances are the possible members.
        wanted: groups by hand; without any, one group a model with several instances.

    Returns:
        Group name to members; the group of all instances, named "all", comes last.

    Raises:
        UnknownNameError: a member is not in the table.
        ConfigError: a group name stands twice or is "all"; a group is empty or repeats a member.
    """
    groups: dict[str, tuple[str, ...]] = {}
    for name, members in wanted:
        if name in groups or name == ALL:
            raise ConfigError(f"group name {name!r} is taken; give the group another name")
        if not members or len(set(members)) != len(members):
            raise ConfigError(f"group {name!r} of {members!r}; expected distinct instances")
        for member in members:
            if member not in table.instances:
                raise UnknownNameError("instance", member, table.instances)
        groups[name] = members
    if not wanted:
        groups = model_groups(table)
        if ALL in groups:
            raise ConfigError(
                f"a model is called {ALL!r}, as the group of all instances is; give it another "
                "label and train again, or name the groups by hand"
            )
    groups[ALL] = table.instances
    return groups


def model_groups(table: RankTable) -> dict[str, tuple[str, ...]]:
    """Return the instances of each model that has several, in the order of the table."""
    models: dict[str, list[str]] = {}
    for instance in table.instances:
        models.setdefault(model_of(table, instance), []).append(instance)
    return {model: tuple(names) for model, names in models.items() if len(names) > 1}
