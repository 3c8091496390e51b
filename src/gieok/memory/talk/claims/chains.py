"""Links between claims, followed from the first to the one that holds now.

A → B → A: the last A replaces B, and the first A holds again (`_drop_cancelled_links`), as it does
when B is cancelled.
"""

from collections.abc import Sequence

from gieok.memory.talk.claims.claim import Claim, ClaimEnd, ClaimLink


def list_ended(links: Sequence[ClaimLink]) -> list[ClaimEnd]:
    """Return the claims that hold no more, each with the claim that holds now.

    Chains of replacements are followed to their end.
    """
    after: dict[tuple[str, int], list[ClaimLink]] = {}
    for link in _drop_cancelled_links(links):
        after.setdefault(link.old[:2], []).append(link)
    ends = []
    for replacements in after.values():
        last, seen = _find_newest_claim(replacements), set[tuple[str, int]]()
        while last[:2] in after and last[:2] not in seen:
            seen.add(last[:2])
            last = _find_newest_claim(after[last[:2]])
        ends += [
            ClaimEnd(old, last, min(link.at for link in replacements))
            for old in {link.old for link in replacements}
        ]
    return ends


def list_said_later(likely: Sequence[ClaimLink], ended: Sequence[ClaimEnd]) -> list[ClaimEnd]:
    """Return the claims on whose subject something was said later, each with the newest of it.

    Claims that hold no more are left out. What was said later may be replaced itself, or have
    something later beside it.
    """
    replaced = {end.old[:2]: end.by for end in ended if end.by is not None}
    over = {end.old[:2] for end in ended}
    after: dict[tuple[str, int], list[ClaimLink]] = {}
    for link in likely:
        after.setdefault(link.old[:2], []).append(link)
    found = []
    for place, links in after.items():
        if place in over:
            continue
        last, seen = _find_newest_claim(links), {place}
        while last[:2] not in seen:
            seen.add(last[:2])
            if last[:2] in replaced:
                last = replaced[last[:2]]
            elif last[:2] in after:
                last = _find_newest_claim(after[last[:2]])
        if last[:2] != place:
            found.append(ClaimEnd(links[0].old, last, last.at))
    return found


def _find_newest_claim(links: Sequence[ClaimLink]) -> Claim:
    return max(links, key=lambda link: (link.at, link.new.key, link.new.line)).new


def _drop_cancelled_links(links: Sequence[ClaimLink]) -> list[ClaimLink]:
    """Return links without those to cancelled claims; the claims before them hold again."""
    back = {(link.old[:2], link.new[:2]) for link in links if link.takes_back}
    ended = {old for old, _ in back}
    again = {
        (link.old[:2], by)
        for link in links
        if link.new[:2] in ended
        for old, by in back
        if old == link.new[:2]
    }
    stands = {old for old, _ in again}
    return [
        link
        for link in links
        if not (
            link.old[:2] in stands
            and (link.new[:2] in ended or (link.old[:2], link.new[:2]) in again)
        )
    ]
