"""Agrees with Snowball's C implementation: each word beside the stem that PyStemmer 3 gives it."""

import pytest
from row_tables import for_each_row

from gieok.text.stem import stem_english_word

_PAIRS = """
    skis:ski skies:sky idly:idl gently:gentl ugly:ugli early:earli only:onli singly:singl sky:sky news:news
    howe:howe atlas:atlas cosmos:cosmos bias:bias andes:andes evening:evening succeed:succeed canning:canning
    proceed:proceed earring:earring herring:herring outing:outing inning:inning exceed:exceed innings:inning
    outings:outing exceeds:exceed succeeded:succeed proceeding:proceed generate:generat generously:generous
    communication:communic arsenal:arsenal universe:univers universal:universal university:universiti pastes:paste
    past:past pasted:paste later:later laterally:lateral emergency:emergenc emerge:emerg organization:organiz
    organize:organiz international:internat internal:internal interest:interest caresses:caress ties:tie cries:cri
    gas:gas this:this kiwis:kiwi gaps:gap bus:bus glass:glass dies:die agreed:agre feed:feed proceedings:proceed
    luxuriated:luxuri hoping:hope hopping:hop hoped:hope fizzed:fizz falling:fall tanned:tan added:add egged:egg
    offing:off happy:happi cry:cri by:by say:say enjoy:enjoy saying:say youth:youth boyish:boyish dying:die
    lying:lie tying:tie hying:hie evenings:evening bled:bled sing:sing sings:sing ring:ring being:be king:king
    relational:relat conditional:condit valency:valenc hesitancy:hesit digitizer:digit conformably:conform
    radically:radic differently:differ vilely:vile analogously:analog vietnamization:vietnam predication:predic
    operator:oper feudalism:feudal decisiveness:decis hopefulness:hope callousness:callous formality:formal
    sensitivity:sensit sensibility:sensibl skillfully:skill apologist:apolog analogy:analog eulogies:eulog
    geologist:geolog fluently:fluentli endlessly:endless quickly:quick triplicate:triplic formative:format
    formalize:formal electricity:electr electrical:electr hopeful:hope goodness:good revival:reviv allowance:allow
    inference:infer airliner:airlin gyroscopic:gyroscop adjustable:adjust defensible:defens irritant:irrit
    replacement:replac adjustment:adjust dependent:depend adoption:adopt homologous:homolog communism:communism
    activate:activ angularity:angular effective:effect bowdlerize:bowdler probate:probat rate:rate cease:ceas
    controllable:control roll:roll rolling:roll knee:knee knees:knee owned:own owing:owe aged:age ate:ate a:a is:is
    it:it be:be invoice:invoic invoices:invoic invoicing:invoic payment:payment payments:payment deployed:deploy
    deployment:deploy retries:retri retried:retri timeout:timeout parser:parser parsing:pars refunds:refund
    settled:settl settlement:settlement meeting:meet memories:memori
"""


@for_each_row(_PAIRS.split())
def test_a_word_has_the_stem_that_snowball_gives_it(pair: str) -> None:
    word, _, expected = pair.partition(":")
    assert stem_english_word(word) == expected


@pytest.mark.parametrize("word", ["", "a", "of", "결제", "123", "x2"])
def test_what_is_too_short_or_no_word_is_unchanged(word: str) -> None:
    assert stem_english_word(word) == word
