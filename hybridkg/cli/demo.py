"""``hybridkg demo``: the academic world from facts to audit."""

from __future__ import annotations

from hybridkg.cli._options import AsJson


def demo(json: AsJson = False) -> None:
    """Show the whole path on the embedded academic world: closure, ranks, oracle, audit."""
    from hybridkg.cli._output import emit, note, shows_progress
    from hybridkg.report.academic import demo_text
    from hybridkg.training.academic import study_academic_world

    study = study_academic_world(note if shows_progress() else lambda line: None)
    emit(study, as_json=json, text=demo_text(study))
