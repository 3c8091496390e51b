"""A token of a provider is known from its shortest length on, and what is shorter is none.

The lengths stand here once more: a provider's tokens have one length, and a rule that asks for a
character more finds none of them.
"""

import pytest

from gieok.text.redact import redact

_BODIES = {
    "any": "aB3dE6gH9jK2mN5pQ8sT1vW4",
    "hex": "a1b2c3d4e5f60718293a4b5c",
    "upper": "Q7WERT2YUIOP3ASDFG4HJK5L",
    "small": "a1b2c3d4e5f6g7h8i9j0k1l2",
}
#: Prefix, characters after it, their alphabet, name of the rule.
_SHORTEST = """
go_ 43 any gieok-token
sk-ant- 20 any anthropic-key
sk- 20 any openai-key
GOCSPX- 24 any google-oauth
1//0 20 any google-oauth
ya29. 20 any google-oauth
ghp_ 36 any github-token
github_pat_ 22 any github-token
glpat- 20 any gitlab-token
xoxa- 15 any slack-token
sk_live_ 16 any stripe-key
sq0atp- 22 any square-token
xkeysib- 60 any sendinblue-key
npm_ 36 any npm-token
pypi-AgE 40 any pypi-token
dckr_pat_ 20 any docker-token
hf_ 30 any huggingface-token
gsk_ 40 any groq-key
xai- 60 any xai-key
pplx- 40 any perplexity-key
r8_ 36 any replicate-token
nvapi- 50 any nvidia-key
tvly- 24 any tavily-key
lsv2_pt_ 32 any langsmith-key
pcsk_ 40 any pinecone-key
jina_ 40 any jina-key
csk- 40 any cerebras-key
tgp_v1_ 30 any together-key
fc- 32 hex firecrawl-key
pylf_v1_ 30 any logfire-token
wandb_v1_ 40 any wandb-key
dop_v1_ 40 hex digitalocean-token
HRKU- 36 any heroku-key
vcp_ 24 any vercel-token
nfp_ 36 any netlify-token
cfut_ 36 any cloudflare-token
v1.0- 100 hex cloudflare-ca-key
fo1_ 40 any fly-token
rnd_ 28 any render-key
sbp_ 40 hex supabase-key
sb_secret_ 24 any supabase-key
napi_ 40 any neon-key
pscale_tkn_ 32 any planetscale-token
mdb_sa_sk_ 30 any mongodb-key
hvs. 24 any vault-token
pul- 40 hex pulumi-token
dp.pt. 40 any doppler-token
glsa_ 32 any grafana-token
sntrys_ 32 any sentry-token
NRAK- 19 any newrelic-key
ddapp_ 30 any datadog-key
hcaik_ 32 any honeycomb-key
dt0c01. 48 any dynatrace-token
essu_ 30 any elastic-key
phx_ 40 any posthog-key
tskey-auth- 20 any tailscale-key
api-mob- 30 any launchdarkly-key
lin_api_ 32 any linear-key
ntn_ 40 any notion-token
ATATT3 50 any atlassian-token
ATBB 32 any bitbucket-token
ATTA 60 hex trello-token
figd_ 36 any figma-token
PMAK- 26 any postman-key
CFPAT- 40 any contentful-token
tfp_ 40 any typeform-token
shpat_ 32 any shopify-token
EAA 80 any facebook-token
IGQV 80 any instagram-token
duffel_live_ 40 any duffel-token
EZAK 54 any easypost-key
FLWSECK- 12 any flutterwave-key
rzp_live_ 14 any razorpay-key
shippo_live_ 40 hex shippo-token
live_sk_ 24 any toss-key
p8e- 32 any adobe-secret
ops_eyJ 60 any 1password-token
rdme_ 60 any readme-key
pnu_ 36 any prefect-key
bkua_ 40 hex buildkite-token
CCIPAT_ 40 any circleci-token
sqp_ 40 hex sonar-token
sgp_ 40 any sourcegraph-token
tk-us- 40 any scalingo-token
AKCp 59 any artifactory-key
s-s4t2ud- 60 hex sumo-key
rubygems_ 48 hex rubygems-key
CLOJARS_ 60 any clojars-token
crates-io- 32 any crates-token
sha256~ 43 any openshift-token
ABSK 100 any aws-bedrock-key
bedrock-api-key- 40 any aws-bedrock-key
ncp_iam_ 28 any naver-cloud-key
AQVN 35 any yandex-key
AGE-SECRET-KEY-1 50 upper age-key
st. 60 hex infisical-token
hooks.slack.com/services/ 30 any slack-webhook
AIza 35 any google-key
SK 32 hex twilio-key
key- 32 hex mailgun-key
dapi 32 hex databricks-token
cio 32 any crates-token
LTAI 20 any alibaba-key
LTAI 16 any alibaba-key
AKID 32 any tencent-key
oy2 43 small nuget-key
"""


@pytest.mark.parametrize("row", _SHORTEST.split("\n")[1:-1])
def test_a_token_is_known_from_its_shortest_length_on(row: str) -> None:
    prefix, length, alphabet, name = row.split()
    token = prefix + (_BODIES[alphabet] * 5)[: int(length)]
    assert redact(token) == f"[redacted:{name}]"
    assert redact(token[:-1]) != f"[redacted:{name}]"
