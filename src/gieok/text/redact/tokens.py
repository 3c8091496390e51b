"""Tokens of providers, recognised by prefix in prose and in code."""

import re
from itertools import cycle, islice

from gieok.text.redact.rule import AROUND, Rule, cut_secret_group
from gieok.text.redact.value import is_wordy

_ANY = "A-Za-z0-9"
_URL = "-A-Za-z0-9_"
_HEX = "a-f0-9"
_UPPER = "A-Z0-9"
_SMALL = "a-z0-9"
_B64 = "A-Za-z0-9+/"
_FEW_DIGITS = 3
#: Bodies of the examples, assembled at run time so that no secret scanner flags this file.
_MIXED = "aB3dE6gH9jK2mN5pQ8sT1vW4"
_CAPITALS = "Q7WERT2YUIOP3ASDFG4HJK5L"
_BODIES = {
    _SMALL: "a1b2c3d4e5f6g7h8i9j0k1l2",
    _HEX: "a1b2c3d4e5f60718293a4b5c",
    _UPPER: _CAPITALS,
    "": _MIXED,
}


def _cut_random_token(found: re.Match[str]) -> tuple[int, int]:
    """Cut the match; skip a row of words (`sk-learn-contrib-packages` has no digit)."""
    is_row = is_wordy(found[0]) and sum(map(str.isdigit, found[0])) < _FEW_DIGITS
    return (found.end(), found.end()) if is_row or _is_masked(found[0]) else found.span()


def _cut_unmasked_token(found: re.Match[str]) -> tuple[int, int]:
    """Cut the match; skip one whose body is written as `xxxx`."""
    return (found.end(), found.end()) if _is_masked(found[0]) else cut_secret_group(found)


def _is_masked(value: str) -> bool:
    return re.search(r"([xX*.0])\1{9}", value) is not None


def _random_secret(found: re.Match[str]) -> tuple[int, int]:
    """Cut what follows the name of a key; skip words and names without a digit or two."""
    is_random = (
        not is_wordy(found["secret"]) and sum(map(str.isdigit, found["secret"])) >= _FEW_DIGITS - 1
    )
    return found.span("secret") if is_random else (found.end(), found.end())


def _build_token_rule(
    name: str, prefixes: str, alphabet: str, length: int, *, open_end: bool
) -> Rule:
    """Return the rule for a prefix and `length` characters; with `open_end`, at least as many."""
    words = prefixes.split()
    heads = "|".join(rf"(?<![A-Za-z0-9_]){re.escape(word)}" for word in words)
    body = f"[{alphabet}]{{{length},}}" if open_end else f"[{alphabet}]{{{length}}}(?![A-Za-z0-9_])"
    hints = tuple(dict.fromkeys(word.lower() for word in words))
    return Rule(
        name=name,
        hints=hints,
        pattern=f"(?:{heads}){body}",
        example=words[0] + _repeat_alphabet(alphabet, length),
        counter_example=words[0] + "-",
        cut=_cut_random_token if _URL in alphabet or alphabet == _ANY else _cut_unmasked_token,
    )


def _repeat_alphabet(alphabet: str, length: int) -> str:
    """Return an example of `length` characters of an alphabet."""
    known = next(name for name in _BODIES if alphabet.startswith(name))
    return "".join(islice(cycle(_BODIES[known]), length))


_OPEN: tuple[tuple[str, str, str, int], ...] = (
    ("gieok-token", "go_ gk_", _URL + ".", 43),
    ("anthropic-key", "sk-ant-", _URL, 20),
    ("openai-key", "sk- sk-proj- sk-svcacct- sk-admin-", _URL, 20),
    ("google-oauth", "GOCSPX-", _URL, 24),
    ("google-oauth", "1//0", _URL, 20),
    ("google-oauth", "ya29.", _URL + ".", 20),
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", _ANY, 36),
    ("github-token", "github_pat_", _URL, 22),
    (
        "gitlab-token",
        "glpat- gldt- glrt- glptt- glft- glsoat- glcbt- glimt- glagent- gloas- glffct- GR1348941",
        _URL + ".",
        20,
    ),
    (
        "slack-token",
        "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.xoxp- xoxe.xoxb- xoxc- xoxd- xapp-",
        _URL + "%",
        15,
    ),
    ("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_ whsec_", _B64, 16),
    ("square-token", "sq0atp- sq0csp- sq0idp-", _URL, 22),
    ("sendinblue-key", "xkeysib- xsmtpsib-", _URL, 60),
    ("npm-token", "npm_", _ANY, 36),
    ("pypi-token", "pypi-AgE", _URL, 40),
    ("docker-token", "dckr_pat_ dckr_oat_", _URL, 20),
    ("huggingface-token", "hf_ api_org_", _ANY, 30),
    ("groq-key", "gsk_", _ANY, 40),
    ("xai-key", "xai-", _ANY, 60),
    ("perplexity-key", "pplx-", _ANY, 40),
    ("replicate-token", "r8_", _ANY, 36),
    ("nvidia-key", "nvapi-", _URL, 50),
    ("tavily-key", "tvly-", _URL, 24),
    ("langsmith-key", "lsv2_pt_ lsv2_sk_", _URL, 32),
    ("pinecone-key", "pcsk_", _URL, 40),
    ("jina-key", "jina_", _ANY, 40),
    ("cerebras-key", "csk-", _ANY, 40),
    ("together-key", "tgp_v1_", _URL, 30),
    ("firecrawl-key", "fc-", _HEX, 32),
    ("logfire-token", "pylf_v1_", _URL, 30),
    ("wandb-key", "wandb_v1_", _URL, 40),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", _HEX, 40),
    ("heroku-key", "HRKU-", _URL, 36),
    ("vercel-token", "vcp_ vci_ vca_ vcr_ vck_", _ANY, 24),
    ("netlify-token", "nfp_ nfc_ nfo_ nfu_ nfb_", _ANY, 36),
    ("cloudflare-token", "cfut_ cfat_ cfk_", _URL, 36),
    ("cloudflare-ca-key", "v1.0-", _HEX + "-", 100),
    ("fly-token", "fo1_ fm1r_ fm1a_ fm2_", _B64 + "_=-", 40),
    ("render-key", "rnd_", _ANY, 28),
    ("supabase-key", "sbp_", _HEX, 40),
    ("supabase-key", "sb_secret_", _URL, 24),
    ("neon-key", "napi_", _ANY, 40),
    ("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", _URL + ".=", 32),
    ("mongodb-key", "mdb_sa_sk_", _URL, 30),
    ("vault-token", "hvs. hvb. hvr.", _URL, 24),
    ("pulumi-token", "pul-", _HEX, 40),
    ("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", _ANY + ".", 40),
    ("grafana-token", "glsa_ glc_", _B64 + "_=", 32),
    ("sentry-token", "sntrys_ sntryu_ sntrya_ sntryi_", _B64 + "_=", 32),
    ("newrelic-key", "NRAK- NRJS- NRII- NRIQ- NRRA- NRSP- NRAA-", _URL, 19),
    ("datadog-key", "ddapp_ ddapi_ ddpat_ ddtkn_", _ANY, 30),
    ("honeycomb-key", "hcaik_ hcxik_ hcamk_ hcalk_", _ANY, 32),
    ("dynatrace-token", "dt0c01. dt0s01. dt0s02. dt0s16.", _ANY + ".", 48),
    ("elastic-key", "essu_ esco_", _URL + "=", 30),
    ("posthog-key", "phx_", _ANY, 40),
    ("tailscale-key", "tskey-auth- tskey-api- tskey-client- tskey-scim- tskey-webhook-", _URL, 20),
    ("launchdarkly-key", "api-mob- sdk-live-", _URL, 30),
    ("linear-key", "lin_api_ lin_oauth_ lin_wh_", _ANY, 32),
    ("notion-token", "ntn_", _ANY, 40),
    ("atlassian-token", "ATATT3 ATCTT3 ATSTT3", _URL + "=", 50),
    ("bitbucket-token", "ATBB", _ANY, 32),
    ("trello-token", "ATTA", _HEX, 60),
    ("figma-token", "figd_ figo_ figu_ figr_ figoh_", _URL, 36),
    ("postman-key", "PMAK- PMAT-", _URL, 26),
    ("contentful-token", "CFPAT-", _URL, 40),
    ("typeform-token", "tfp_", _URL, 40),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_ shpua_ shpit_ shptka_ shpatf_", _ANY, 32),
    ("facebook-token", "EAA", _ANY, 80),
    ("instagram-token", "IGQV IGQW IGAA", _URL, 80),
    ("duffel-token", "duffel_live_ duffel_test_", _URL + "=", 40),
    ("easypost-key", "EZAK EZTK", _ANY, 54),
    ("flutterwave-key", "FLWSECK- FLWSECK_TEST-", _URL, 12),
    ("razorpay-key", "rzp_live_ rzp_test_", _ANY, 14),
    ("shippo-token", "shippo_live_ shippo_test_", _HEX, 40),
    ("toss-key", "live_sk_ test_sk_ live_gsk_ test_gsk_", _ANY, 24),
    ("adobe-secret", "p8e-", _ANY, 32),
    ("1password-token", "ops_eyJ", _B64 + "_=-", 60),
    ("readme-key", "rdme_", _ANY, 60),
    ("prefect-key", "pnu_ pnb_", _ANY, 36),
    ("buildkite-token", "bkua_ bkaj_ bkpt_", _HEX, 40),
    ("circleci-token", "CCIPAT_ CCIPRJ_", _URL, 40),
    ("sonar-token", "sqp_ squ_ sqa_", _HEX, 40),
    ("sourcegraph-token", "sgp_", _ANY + "_", 40),
    ("scalingo-token", "tk-us-", _URL, 40),
    ("artifactory-key", "AKCp cmVmd", _ANY, 59),
    ("sumo-key", "s-s4t2ud- s-s4t2af-", _HEX, 60),
    ("rubygems-key", "rubygems_", _HEX, 48),
    ("clojars-token", "CLOJARS_", _ANY, 60),
    ("crates-token", "crates-io-", _ANY, 32),
    ("openshift-token", "sha256~", _URL, 43),
    ("aws-bedrock-key", "ABSK", _B64 + "=", 100),
    ("aws-bedrock-key", "bedrock-api-key-", _B64 + "=_-", 40),
    ("naver-cloud-key", "ncp_iam_", _ANY, 28),
    ("yandex-key", "AQVN y0_ y1_ y2_ y3_", _URL, 35),
    ("age-key", "AGE-SECRET-KEY-1", _UPPER, 50),
    ("infisical-token", "st.", _HEX + ".", 60),
    (
        "slack-webhook",
        "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/",
        _B64,
        30,
    ),
)
_CLOSED: tuple[tuple[str, str, str, int], ...] = (
    ("google-key", "AIza", _URL, 35),
    ("twilio-key", "SK", _HEX, 32),
    ("mailgun-key", "key-", _HEX, 32),
    ("databricks-token", "dapi", _HEX, 32),
    ("crates-token", "cio", _ANY, 32),
    ("alibaba-key", "LTAI", _ANY, 20),
    ("alibaba-key", "LTAI", _ANY, 16),
    ("tencent-key", "AKID", _ANY, 32),
    ("nuget-key", "oy2", _SMALL, 43),
)
_SHAPED = (
    # Providers to come: most name their keys `xx_live_…`.
    Rule(
        name="live-key",
        hints=("_live_", "_prod_", "_test_"),
        pattern=r"_(?:live|prod|test)_(?P<secret>[A-Za-z0-9]{16,200})(?![A-Za-z0-9_])",
        example=f"zz_live_{_MIXED}",
        counter_example="app_test_configurationLoader",
        cut=_random_secret,
    ),
    Rule(
        name="secret-token",
        hints=("-secret-",),
        pattern=r"-SECRET-(?P<secret>[A-Z0-9-]{16,200})(?![A-Za-z0-9_])",
        example=f"ZZ-SECRET-{_CAPITALS}",
        counter_example="TOP-SECRET-PROJECT-OF-THE-YEAR",
        cut=_random_secret,
    ),
    Rule(
        name="aws-key",
        hints=("akia", "asia", "abia", "acca"),
        pattern=(
            r"A(?:KIA|SIA|BIA|CCA)(?<![A-Za-z0-9_]A...)(?![A-Z0-9]{9}EXAMPLE)[A-Z0-9]{16}"
            r"(?![A-Za-z0-9_])"
        ),
        example="AKIA" + _repeat_alphabet(_UPPER, 16),
        counter_example="AKIAIOSFODNN7EXAMPLE",
    ),
    Rule(
        name="telegram-token",
        hints=(":aa",),
        pattern=r"(?<![A-Za-z0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])",
        example="1234567890:AA" + _repeat_alphabet(_ANY, 33),
        counter_example="12:30:AAaB3dE6gH9j",
        before=AROUND,
    ),
    Rule(
        name="discord-token",
        hints=(),
        pattern=(
            r"[MNO](?<![A-Za-z0-9_-][MNO])[A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27"
            r",38}(?![A-Za-z0-9_-])"
        ),
        example=f"M{_MIXED}.aB3dE6.{_MIXED}aB3",
        counter_example="My.package.name",
        cut=_cut_random_token,
        least=57,
    ),
    Rule(
        name="discord-webhook",
        hints=("/api/webhooks/",),
        pattern=r"/api/webhooks/[0-9]{17,20}/(?P<secret>[A-Za-z0-9_-]{40,})",
        example=f"https://discord.com/api/webhooks/112233445566778899/{_MIXED}{_MIXED}",
        counter_example="https://discord.com/api/webhooks/112233445566778899/test",
    ),
    Rule(
        name="teams-webhook",
        hints=("/incomingwebhook/",),
        pattern=r"(?i:/IncomingWebhook/)(?P<secret>[a-f0-9]{32}/[a-f0-9-]{36})",
        example="https://x.webhook.office.com/webhookb2/a/IncomingWebhook/"
        + _repeat_alphabet(_HEX, 32)
        + "/"
        + _repeat_alphabet(_HEX, 36),
        counter_example="https://x.webhook.office.com/webhookb2/a/IncomingWebhook/docs",
    ),
    Rule(
        name="sendgrid-key",
        hints=("sg.",),
        pattern=r"SG\.(?<![A-Za-z0-9_]SG\.)[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{36,64}",
        example=f"SG.{_MIXED}.{_MIXED}{_MIXED}",
        counter_example="SG.package.module",
    ),
    Rule(
        name="mapbox-token",
        hints=("sk.eyj",),
        pattern=r"sk\.eyJ(?<![A-Za-z0-9_]sk\.eyJ)[A-Za-z0-9_-]{20,400}\.[A-Za-z0-9_-]{16,64}",
        example=f"sk.eyJ1{_MIXED}{_MIXED}.{_MIXED}",
        counter_example="sk.eyJ",
    ),
    Rule(
        name="airtable-token",
        hints=("pat",),
        pattern=r"pat(?<![A-Za-z0-9_]pat)[A-Za-z0-9]{14}\.[a-f0-9]{64}(?![A-Za-z0-9])",
        example="pat" + _repeat_alphabet(_ANY, 14) + "." + _repeat_alphabet(_HEX, 64),
        counter_example="path.to.the.file",
    ),
    Rule(
        name="terraform-token",
        hints=(".atlasv1.",),
        pattern=r"(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}",
        example=_repeat_alphabet(_ANY, 14) + f".atlasv1.{_MIXED}{_MIXED}{_MIXED}",
        counter_example="the.atlasv1.module",
        before=AROUND,
    ),
    Rule(
        name="azure-client-secret",
        hints=("q~",),
        pattern=(
            r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-"
            r"z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])"
        ),
        example=f"aB38Q~{_MIXED}aB3dE6g",
        counter_example="FAQ~1.TXT",
        before=AROUND,
    ),
    Rule(
        name="mailchimp-key",
        hints=("-us",),
        pattern=r"(?<![A-Za-z0-9])[a-f0-9]{32}-us[0-9]{1,2}(?![A-Za-z0-9])",
        example=_repeat_alphabet(_HEX, 32) + "-us14",
        counter_example="keyboard-us",
        before=AROUND,
    ),
    Rule(
        name="hubspot-token",
        hints=("pat-na", "pat-eu"),
        pattern=(
            r"pat-(?:na|eu)[0-9]-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}"
            r"(?![A-Za-z0-9])"
        ),
        example="pat-na1-a1b2c3d4-e5f6-0718-293a-4b5ca1b2c3d4",
        counter_example="pat-native",
    ),
    Rule(
        name="asana-token",
        hints=("1/", "2/"),
        pattern=(
            r"[12]/(?<![A-Za-z0-9./]..)[0-9]{13,20}(?:/"
            r"[0-9]{13,20})?:[a-f0-9]{32}(?![A-Za-z0-9])"
        ),
        example="2/1200000000000001/1200000000000002:" + _repeat_alphabet(_HEX, 32),
        counter_example="1/2024:12",
    ),
    Rule(
        name="paypal-token",
        hints=("access_token$",),
        pattern=r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}",
        example="access_token$production$" + "a1b2c3d4e5f6g7h8$" + _repeat_alphabet(_HEX, 32),
        counter_example="access_token$production",
    ),
    Rule(
        name="plaid-token",
        hints=("access-production-", "access-sandbox-", "access-development-"),
        pattern=(
            r"access-(?:production|sandbox"
            r"|development)-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}"
        ),
        example="access-production-a1b2c3d4-e5f6-0718-293a-4b5ca1b2c3d4",
        counter_example="access-production-systems",
    ),
    Rule(
        name="maxmind-key",
        hints=("_mmk",),
        pattern=r"(?<![A-Za-z0-9_])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9_])",
        example="aB3dE6_" + _repeat_alphabet(_ANY, 29) + "_mmk",
        counter_example="the_mmk",
        before=AROUND,
    ),
    Rule(
        name="octopus-key",
        hints=("api-",),
        pattern=r"API-(?<![A-Za-z0-9_-]API-)[A-Z0-9]{26}(?![A-Za-z0-9_-])",
        example="API-" + _repeat_alphabet(_UPPER, 26),
        counter_example="API-GATEWAY",
        cut=_cut_random_token,
    ),
    Rule(
        name="1password-key",
        hints=("a3-",),
        pattern=r"A3-(?<![A-Za-z0-9_-]A3-)[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}(?![A-Za-z0-9_-])",
        example="A3-Q7WERT-2YUIO-P3ASD-FG4HJ-K5LQ7-WERT2",
        counter_example="A3-SIZE-PAPER",
        cut=_cut_random_token,
    ),
    Rule(
        name="notion-token",
        hints=("secret_",),
        pattern=r"secret_(?<![A-Za-z0-9_]secret_)[A-Za-z0-9]{43}(?![A-Za-z0-9])",
        example="secret_" + _repeat_alphabet(_ANY, 43),
        counter_example="secret_name_of_things",
        cut=_cut_random_token,
    ),
)
TOKENS = (
    *(_build_token_rule(*row, open_end=True) for row in _OPEN),
    *(_build_token_rule(*row, open_end=False) for row in _CLOSED),
    *_SHAPED,
)
