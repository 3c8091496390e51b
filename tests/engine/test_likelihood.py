"""How sure an answer is, where little is known."""

from gieok.engine.likelihood import Asked, Evidence, judge, weights

BY = weights("notes", with_vectors=True)


def _lead(rivals: int) -> float:
    asked = Asked("when do we deploy", {"deploy": 1.0}, rivals + 1, {})
    best = Evidence(0, "payments are retried", cosine=0.79, vector_z=1.0, fused=1.0)
    others = [Evidence(n + 1, "the office has a garden", cosine=0.74, vector_z=-1.0, fused=0.2) for n in range(rivals)]
    return judge(asked, [best, *others], BY).about["lead"]


def test_being_better_than_one_other_passage_says_little() -> None:
    leads = [_lead(rivals) for rivals in (0, 1, 2, 4, 12)]
    assert leads[0] == 0
    assert leads[:4] == sorted(leads[:4])
    assert leads[1] < leads[3] / 3
    assert leads[3] == leads[4]
