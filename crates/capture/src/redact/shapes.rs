//! The table of tokens that providers made recognisable: how each begins, what follows and how much of it.
//!
//! The prefixes and lengths are the providers' documented formats. Rules without a prefix of their own are
//! elsewhere: values known by their name (`named`), URLs (`urls`), key blocks (`blocks`).

/// One recognisable kind of token: any of the prefixes, then a run of body bytes of the given length.
pub(super) struct TokenShape {
    pub(super) rule: &'static str,
    pub(super) prefixes: &'static [&'static str],
    pub(super) body: TokenAlphabet,
    pub(super) min: usize,
    pub(super) max: usize,
    /// The body must look random, because names in code begin and go on like this too.
    pub(super) random: bool,
}

impl TokenShape {
    const fn random(mut self) -> TokenShape {
        self.random = true;
        self
    }
}

/// Which bytes may follow a prefix.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenAlphabet {
    /// `0-9 a-f A-F -`
    Hex,
    /// `0-9 A-Z -`
    Upper,
    /// `0-9 A-Z`
    Capitals,
    /// `0-9 a-z A-Z`
    Plain,
    /// `0-9 a-z A-Z _ -`
    Dashed,
    /// `0-9 a-z A-Z _ - . = ! ~`
    Dotted,
    /// `0-9 a-z A-Z _ - + / = . : , | @ $ ~`: base64 of every kind and the paths of webhooks.
    Wide,
}

impl TokenAlphabet {
    pub(super) fn holds(self, byte: u8) -> bool {
        match self {
            TokenAlphabet::Hex => byte.is_ascii_hexdigit() || byte == b'-',
            TokenAlphabet::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-',
            TokenAlphabet::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            TokenAlphabet::Plain => byte.is_ascii_alphanumeric(),
            TokenAlphabet::Dashed => byte.is_ascii_alphanumeric() || b"_-".contains(&byte),
            TokenAlphabet::Dotted => byte.is_ascii_alphanumeric() || b"_-.=!~".contains(&byte),
            TokenAlphabet::Wide => byte.is_ascii_alphanumeric() || b"_-+/=.:,|@$~".contains(&byte),
        }
    }
}

/// No upper bound: nothing but this token begins so.
const ANY: usize = usize::MAX;

const fn shape(
    rule: &'static str,
    prefixes: &'static [&'static str],
    body: TokenAlphabet,
    (min, max): (usize, usize),
) -> TokenShape {
    TokenShape { rule, prefixes, body, min, max, random: false }
}

use TokenAlphabet::{Capitals, Dashed, Dotted, Hex, Plain, Upper, Wide};

/// Every shape, by what it opens.
#[rustfmt::skip]
pub(super) const SHAPES: &[TokenShape] = &[
    // Models and their tools.
    shape("anthropic-key", &["sk-ant-"], Dashed, (20, ANY)),
    shape("openai-key", &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-", "sk-or-v1-", "sk-lf-", "sk-hc-v1-", "sk-gamma-"], Dashed, (20, ANY)),
    shape("model-key", &["sk-"], Plain, (32, 64)).random(),
    shape("model-key", &["gsk_", "pplx-", "nvapi-", "xai-", "r8_", "fw_", "csk-", "tgp_v1_", "jina_", "llx-", "esecret_", "rpa_", "bu_", "e2b_", "fc-", "wandb_v1_", "aks_"], Dashed, (24, 128)),
    shape("model-key", &["tvly-", "m0-", "pa-", "al-", "cog_"], Dashed, (32, 60)).random(),
    shape("langsmith-key", &["lsv2_pt_", "lsv2_sk_", "ls__"], Dashed, (32, 64)),
    shape("hugging-face-token", &["hf_", "api_org_"], Plain, (30, 48)).random(),
    shape("model-key", &["ai71-api-", "bpk-", "BBUS-", "BBFF-", "MINIMAX-"], Dashed, (28, 64)),

    // Code hosting, packages and builds.
    shape("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], Dotted, (30, ANY)),
    shape("github-token", &["github_pat_"], Dashed, (30, 255)),
    shape("gitlab-token", &["glpat-", "gldt-", "glft-", "glrt-", "glptt-", "glcbt-", "glimt-", "glsoat-", "glagent-", "gloas-", "glffct-", "GR1348941", "_gitlab_session="], Dotted, (16, 400)),
    shape("bitbucket-token", &["ATBB", "ATCTT3", "BBDC-"], Wide, (28, 400)),
    shape("atlassian-token", &["ATATT3", "ATOA", "ATCTT"], Wide, (40, 400)),
    shape("npm-token", &["npm_"], Plain, (30, 64)),
    shape("pypi-token", &["pypi-AgE"], Dashed, (40, ANY)),
    shape("rubygems-token", &["rubygems_"], Plain, (32, 64)),
    shape("crates-io-token", &["cio"], Plain, (32, 32)),
    shape("clojars-token", &["CLOJARS_"], Plain, (50, 70)),
    shape("nuget-key", &["oy2"], Plain, (43, 43)),
    shape("open-vsx-token", &["ovsxat_", "ovsxp_"], Hex, (32, 40)),
    shape("docker-token", &["dckr_pat_", "dckr_oat_", "SWMTKN-1-", "SWMKEY-1-"], Wide, (24, 120)),
    shape("artifactory-key", &["AKCp", "cmVmdGtuO"], Plain, (50, 90)),
    shape("circleci-token", &["CCIPAT_", "CCIPRJ_"], Dashed, (40, 90)),
    shape("buildkite-token", &["bkua_", "bkct_", "bkat_"], Plain, (30, 64)),
    shape("sonar-token", &["squ_", "sqp_", "sqa_"], Plain, (40, 40)),
    shape("sourcegraph-token", &["sgp_", "slk_"], Dashed, (40, 80)),
    shape("code-tool-token", &["ptk_", "gs_appsweep_", "mergify_application_key_", "dryrunsec_", "AIK_SECRET_", "AIK_CI_", "tsec_", "CCDB1_", "hop_pat_", "xau_", "signkey-"], Dashed, (20, 240)).random(),
    shape("octopus-key", &["API-"], Upper, (26, 26)),
    shape("dependency-track-key", &["odt_"], Plain, (32, 64)),
    shape("postman-key", &["PMAK-"], Hex, (50, 64)),
    shape("readme-key", &["rdme_"], Plain, (60, 80)),

    // Clouds and hosting.
    shape("aws-access-key", &["AKIA", "ASIA", "ABIA", "ACCA", "A3T", "LSIA", "LKIA"], Capitals, (16, 17)),
    shape("aws-session-token", &["IQoJb3JpZ2luX2Vj", "FwoGZXIvYXdzE", "FQoGZXIvYXdzE"], Wide, (40, ANY)),
    shape("aws-bedrock-key", &["ABSK", "bedrock-api-key-"], Wide, (80, ANY)),
    shape("aws-mws-key", &["amzn.mws.", "amzn1.application-oa2-client."], Hex, (20, 48)),
    shape("aws-appsync-key", &["da2-"], Plain, (26, 26)),
    shape("google-api-key", &["AIza"], Dashed, (35, 39)),
    shape("google-oauth", &["GOCSPX-", "ya29."], Dotted, (20, ANY)),
    shape("google-oauth", &["1//0"], Dashed, (30, 200)),
    shape("alibaba-key", &["LTAI"], Plain, (12, 30)),
    shape("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], Plain, (40, 80)),
    shape("databricks-token", &["dapi", "dose", "dkea"], Hex, (32, 38)),
    shape("heroku-key", &["HRKU-"], Dashed, (36, 80)),
    shape("fly-token", &["fo1_", "fm1a_", "fm1r_", "fm2_"], Wide, (30, ANY)),
    shape("vercel-token", &["vcp_", "vci_", "vca_", "vcr_", "vck_"], Dashed, (40, 80)),
    shape("netlify-token", &["nfp_", "nfc_", "nfo_", "nfu_"], Plain, (32, 64)),
    shape("supabase-key", &["sbp_", "sb_secret_"], Dashed, (24, 80)),
    shape("planetscale-token", &["pscale_tkn_", "pscale_oauth_", "pscale_pw_"], Dotted, (30, 80)),
    shape("neon-key", &["napi_"], Plain, (50, 80)),
    shape("mongodb-key", &["mdb_sa_sk_"], Dashed, (30, 64)),
    shape("confluent-key", &["cflt"], Wide, (60, 60)),
    shape("cloudflare-key", &["v1.0-"], Hex, (140, ANY)),
    shape("cloudflare-token", &["cfut_", "cfat_", "cfk_"], Dashed, (40, 70)),
    shape("tailscale-key", &["tskey-"], Dashed, (10, 90)),
    shape("scalingo-token", &["tk-us-"], Dashed, (40, 56)),
    shape("pulumi-token", &["pul-"], Hex, (40, 40)),
    shape("vault-token", &["hvs.", "hvb.", "hvr."], Dashed, (20, ANY)),
    shape("vault-token", &["s."], Plain, (24, 26)).random(),
    shape("doppler-token", &["dp.ct.", "dp.pt.", "dp.st.", "dp.sa.", "dp.scim.", "dp.audit."], Dotted, (40, 90)),
    shape("infisical-token", &["st."], Dotted, (60, 160)).random(),
    shape("1password-token", &["ops_eyJ"], Wide, (80, ANY)),
    shape("1password-key", &["A3-"], Upper, (28, 40)),
    shape("openshift-token", &["sha256~"], Dashed, (40, 46)),
    shape("cloud-tool-token", &["xaat-", "xapt-", "dnkey-", "infracost-", "ico-", "rootly_", "cfxk_", "hxtw_", "hxtp_", "dvc_server_", "dvc_client_", "dvc_mobile_", "ptr_", "salad_cloud_", "rh-api-", "mik_", "mis_", "live_auth_"], Wide, (20, 200)).random(),
    shape("dynatrace-token", &["dt0c01.", "dt0s01.", "dt0s02.", "dt0s08.", "dt0s16."], Dotted, (24, 120)),
    shape("grafana-token", &["glc_", "glsa_"], Wide, (32, ANY)),
    shape("sentry-token", &["sntrys_", "sntryu_", "sntryi_"], Wide, (40, ANY)),
    shape("new-relic-key", &["NRAK-", "NRAA-", "NRII-", "NRIQ-", "NRRA-", "NRJS-", "NRSP"], Dashed, (20, 60)),
    shape("posthog-key", &["phx_", "phs_", "pha_", "phr_", "phc_"], Plain, (36, 60)),
    shape("honeycomb-key", &["hcaik_", "hcbik_", "hcalk_"], Plain, (40, 80)),
    shape("launchdarkly-key", &["launchdarkly-private-", "api-", "sdk-", "mob-"], Hex, (36, 36)),
    shape("configcat-key", &["configcat-sdk-1/"], Wide, (40, 50)),
    shape("adafruit-key", &["aio_"], Plain, (28, 28)),
    shape("apify-token", &["apify_api_"], Plain, (30, 44)),
    shape("contentful-token", &["CFPAT-"], Dashed, (40, 50)),
    shape("prefect-key", &["pnu_", "pnb_"], Plain, (30, 44)),

    // Money and shops.
    shape("stripe-key", &["sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "whsec_", "pk_live_", "sk_dev_"], Wide, (16, ANY)),
    shape("square-token", &["sq0atp-", "sq0csp-", "sq0idp-", "EAAA"], Dashed, (20, 64)),
    shape("shopify-token", &["shpat_", "shpca_", "shppa_", "shpss_", "shptka_"], Plain, (32, 40)),
    shape("payment-key", &["FLWSECK", "FLWPUBK", "rzp_live_", "rzp_test_", "EZAK", "EZTK", "duffel_live_", "duffel_test_", "shippo_live_", "shippo_test_", "APP_USR-", "SB-Mid-server-", "xnd_production_", "xnd_development_", "access-production-", "access-sandbox-", "mercury_production_", "mercury_sandbox_", "pdl_live_apikey_", "$aact_", "polar_oat_", "polar_at_", "ramp_sec_", "ramp_id_"], Dotted, (12, 200)),
    shape("paypal-braintree-token", &["access_token$production$", "access_token$sandbox$"], Wide, (40, 80)),

    // Messages, mail and people.
    shape("slack-token", &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxe-", "xoxe.xox", "xoxc-", "xoxd-", "xapp-"], Wide, (10, ANY)),
    shape("webhook-url", &["hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/", "office.com/webhook/", "office.com/webhookb2/", "hooks.zapier.com/hooks/catch/", "thingsboard.cloud/api/v1/"], Wide, (12, 400)),
    shape("telegram-token", &[":AA"], Dashed, (30, 36)),
    shape("twilio-key", &["SK", "AC"], Hex, (32, 32)),
    shape("sendgrid-key", &["SG."], Dotted, (40, 90)),
    shape("mail-key", &["xkeysib-", "xsmtpsib-", "mlsn.", "re_", "key-", "pubkey-"], Dashed, (32, 100)).random(),
    shape("facebook-token", &["EAAC", "EAAM", "EAAG", "EAAB", "EAAD", "IGQV"], Plain, (60, ANY)),
    shape("dropbox-token", &["sl."], Dashed, (100, ANY)).random(),
    shape("notion-token", &["ntn_", "secret_"], Plain, (40, 60)),
    shape("linear-key", &["lin_api_", "lin_oauth_"], Plain, (32, 70)),
    shape("airtable-token", &["pat"], Dotted, (79, 79)),
    shape("hubspot-token", &["pat-na1-", "pat-na2-", "pat-eu1-", "pat-ap1-"], Hex, (36, 36)),
    shape("figma-token", &["figd_", "figo_", "figu_"], Dashed, (30, 60)),
    shape("typeform-token", &["tfp_"], Dotted, (40, 70)),
    shape("pubnub-key", &["pub-c-", "sub-c-", "sec-c-"], Dashed, (36, 60)),
    shape("vk-token", &["vk1.a."], Dashed, (60, 240)),
    shape("firebase-key", &["APA91b"], Dashed, (100, 200)),
    shape("frame-token", &["fio-u-"], Wide, (40, 90)),
    shape("mapbox-token", &["sk.eyJ", "tk.eyJ", "pk.eyJ"], Dotted, (40, ANY)),
    shape("salesforce-token", &["3MVG9"], Dotted, (20, 200)),
    shape("salesforce-token", &["00D"], Dotted, (90, 280)),
    shape("okta-token", &["00"], Dashed, (40, 40)),
    shape("intra42-token", &["s-s4t2ud-", "s-s4t2af-", "u-s4t2ud-", "u-s4t2af-"], Hex, (60, 70)),
    shape("adobe-key", &["p8e-"], Dashed, (30, 36)),
    shape("riot-key", &["RGAPI-"], Hex, (36, 36)),
    shape("nightfall-key", &["NF-"], Plain, (32, 32)),
    shape("wakatime-key", &["waka_"], Hex, (36, 64)),
    shape("ory-token", &["ory_pat_", "ory_at_", "ory_rt_", "ory_ac_", "ory_st_", "ory_apikey_"], Dashed, (24, 100)),
    shape("service-key", &["zpka_", "ucat_", "tkn.v1_", "b10ck5.", "hawk.", "VF.DM."], Dotted, (26, 100)),
    shape("service-key", &["oa2-client-id_", "lip_", "isat_", "cal_live_", "dub_", "tss_", "prf_", "vtwn_", "pts_", "tkcapi_", "ion_"], Dashed, (24, 100)).random(),

    // Formats of their own.
    shape("json-web-token", &["eyJ", "ZXlK"], Wide, (27, ANY)),
    shape("age-key", &["AGE-SECRET-KEY-1", "AGE-PLUGIN-"], Upper, (40, 80)),
    shape("age-key", &["age1"], Plain, (58, 58)),
    shape("password-hash", &["$2a$", "$2b$", "$2x$", "$2y$", "$1$", "$5$", "$6$", "$8$", "$y$", "$7$", "$argon2", "$scrypt$", "$pbkdf2", "$krb5", "$apr1$", "SCRAM-SHA-256$"], Wide, (24, ANY)),
];

/// Tokens without a prefix, known by letters the provider puts at a fixed place inside.
pub(super) struct InnerMark {
    pub(super) rule: &'static str,
    pub(super) inside: &'static str,
    pub(super) min: usize,
}

const fn mark(rule: &'static str, inside: &'static str, min: usize) -> InnerMark {
    InnerMark { rule, inside, min }
}

/// Every mark.
pub(super) const MARKS: &[InnerMark] = &[
    mark("azure-client-secret", "7Q~", 36),
    mark("azure-client-secret", "8Q~", 36),
    mark("azure-client-secret", "9Q~", 36),
    mark("azure-devops-token", "AZDO", 80),
    mark("azure-key", "+ACR", 50),
    mark("azure-key", "+ASt", 80),
    mark("azure-key", "AzFu", 52),
    mark("terraform-token", ".atlasv1.", 60),
    mark("openai-key", "T3BlbkFJ", 40),
    mark("maxmind-key", "_mmk", 40),
    mark("new-relic-key", "NRAL", 40),
];
