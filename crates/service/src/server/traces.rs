//! Traces, for operators who gather them: spans of calls and jobs, sent to a collector by
//! OpenTelemetry's protocol (OTLP over gRPC).
//!
//! A span says what logs say: ids, names of states, how long it took. What is being traced waits
//! for no collector: spans that cannot be sent in time are dropped.

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{ExporterBuildError, SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracerProvider, Tracer};
use tracing::Subscriber;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::registry::LookupSpan;

/// Sends spans until it is dropped; then those that are left, within five seconds.
pub(super) struct Traces(SdkTracerProvider);

impl Traces {
    /// Sends them to `url` from now on; a collector that is not there yet is no error. To be
    /// called within a runtime, and dropped before it ends.
    pub(super) fn begin(url: &str) -> Result<Self, ExporterBuildError> {
        let exporter = SpanExporter::builder()
            .with_tonic()
            .with_endpoint(url)
            .build()?;
        let resource = Resource::builder().with_service_name("blindcore-server");
        let provider = SdkTracerProvider::builder()
            .with_resource(resource.build())
            .with_batch_exporter(exporter);
        Ok(Self(provider.build()))
    }

    /// What makes spans of those of the log.
    pub(super) fn layer<S>(&self) -> OpenTelemetryLayer<S, Tracer>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        tracing_opentelemetry::layer().with_tracer(self.0.tracer("blindcore"))
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        if let Err(error) = self.0.shutdown() {
            tracing::warn!(%error, "not every span was sent");
        }
    }
}
