//! Which workers jobs run on, if not on this machine.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use circuits::exec::Cancel;
use clap::{ArgGroup, Args};
use cluster::ray::{Ray, Wanted};
use cluster::tcp::Certificates;
use cluster::{Addresses, Reach};

use super::ServerError;
use super::work::Crew;

/// Options of a server whose jobs run on workers.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Workers", group = ArgGroup::new("crew").args(["workers", "cluster"]))]
pub struct CrewOptions {
    /// Run each job on one of the workers at these addresses (`blindcore worker`), which keep expanded
    /// keys; this machine keeps the files, and runs what asks its owner or uses selectors
    #[arg(long, value_name = "HOST:PORT", value_delimiter = ',')]
    pub workers: Vec<String>,
    /// Run each on a machine of a Ray cluster, which starts the workers: `auto`, or `ray://HOST:PORT`
    #[arg(long, value_name = "WHERE")]
    pub cluster: Option<String>,
    /// How many machines of the cluster (default: all)
    #[arg(long, value_name = "N", requires = "cluster")]
    pub machines: Option<NonZeroUsize>,
    /// What to show to workers: a directory made by `blindcore tls server --worker` or as a client's; of
    /// a Ray cluster it is on every machine
    #[arg(long, value_name = "DIR", requires = "crew")]
    pub workers_tls: Option<PathBuf>,
    /// Workers without TLS, in a network that nobody else is in
    #[arg(long, requires = "crew", conflicts_with = "workers_tls")]
    pub workers_plain: bool,
}

impl CrewOptions {
    /// The workers, if there are to be any, and the threads of each as far as they say it.
    pub(crate) fn open(
        &self,
        threads: Option<NonZeroUsize>,
        cancel: &Cancel,
    ) -> Result<Option<(Crew, Option<NonZeroUsize>)>, ServerError> {
        let wrong = |error: cluster::ClusterError| ServerError::Workers {
            reason: error.to_string(),
        };
        if self.workers.is_empty() && self.cluster.is_none() {
            return Ok(None);
        }
        if self.workers_tls.is_none() && !self.workers_plain {
            return Err(ServerError::Workers {
                reason:
                    "say --workers-tls DIR, or --workers-plain in a network that nobody else is in"
                        .to_owned(),
            });
        }
        let certificates = self.workers_tls.as_deref().map(Certificates::read);
        let reach = Reach::Tcp(certificates.transpose().map_err(wrong)?);
        let Some(cluster) = &self.cluster else {
            let addresses = Addresses::from(self.workers.iter());
            return Ok(Some((Crew::new(addresses, reach, None), threads)));
        };
        let wanted = Wanted {
            cluster: cluster.clone(),
            machines: self.machines,
            threads,
            key: None,
            tls: self.workers_tls.clone(),
        };
        let ray = Ray::start(&wanted, cancel).map_err(wrong)?;
        let each = ray.threads();
        Ok(Some((
            Crew::new(ray.addresses(), reach, Some(ray)),
            Some(each),
        )))
    }
}
