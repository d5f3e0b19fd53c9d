//! What the settings decide for every answer, worked out once at the start: allowed hosts, CORS, and the headers that all answers share.

pub(crate) mod cors;
pub(crate) mod headers;
pub(crate) mod hosts;

use crate::settings::Settings;
use cors::CorsPolicy;
use headers::ResponseTemplate;
use hosts::AllowedHosts;

/// The policies of one service.
pub(crate) struct Policies {
    pub(crate) hosts: AllowedHosts,
    pub(crate) cors: CorsPolicy,
    pub(crate) template: ResponseTemplate,
}

impl Policies {
    pub(crate) fn new(settings: &Settings) -> Self {
        let cors = CorsPolicy::new(&settings.cors_origins);
        Self { hosts: AllowedHosts::new(settings), template: ResponseTemplate::new(settings, &cors), cors }
    }
}
