package endtoend

import (
	"net"
	"strings"
	"testing"
)

// TenantHeader names the tenant of a request to Mimir.
const TenantHeader = "X-Scope-OrgID"

// mimirConfig runs all components in one process that talks to itself only: every ring
// is in memory. Rules are evaluated often and at once, increase() can be exact
// (anchored), and samples may be 60 days late. A busy machine is no reason to refuse
// samples.
const mimirConfig = `
multitenancy_enabled: true
usage_stats: {enabled: false}
server: {http_listen_address: HOST, http_listen_port: PORT, grpc_listen_address: HOST, grpc_listen_port: GRPC, log_level: warn}
activity_tracker: {filepath: activity}
memberlist: {bind_addr: [HOST], bind_port: 0}
common: {storage: {backend: filesystem, filesystem: {dir: data}}}
blocks_storage: {storage_prefix: blocks, tsdb: {dir: tsdb}, bucket_store: {sync_dir: sync}}
ruler_storage: {storage_prefix: rules}
alertmanager_storage: {storage_prefix: alertmanager}
distributor: {remote_timeout: 20s, ring: {instance_addr: HOST, kvstore: {store: inmemory}}}
ingester: {ring: {instance_addr: HOST, replication_factor: 1, kvstore: {store: inmemory}}}
querier: {ring: {instance_addr: HOST, kvstore: {store: inmemory}}}
query_scheduler: {ring: {instance_addr: HOST, kvstore: {store: inmemory}}}
frontend: {address: HOST, cache_results: false}
store_gateway: {sharding_ring: {instance_addr: HOST, replication_factor: 1, kvstore: {store: inmemory}}}
compactor: {data_dir: compactor, sharding_ring: {instance_addr: HOST, kvstore: {store: inmemory}}}
overrides_exporter: {ring: {instance_addr: HOST, kvstore: {store: inmemory}}}
ruler: {rule_path: ruler, evaluation_interval: 10s, poll_interval: 5s, ring: {instance_addr: HOST, kvstore: {store: inmemory}}}
limits:
  max_global_series_per_user: 0 # no limit
  ingestion_rate: 1000000
  ingestion_burst_size: 1000000
  out_of_order_time_window: 60d
  query_ingesters_within: 0s # late samples are there
  ruler_evaluation_delay_duration: 0s
  enabled_promql_extended_range_selectors: anchored
`

// NewMimir returns a Mimir with tenants. Its requests are for one tenant.
func NewMimir(t testing.TB, tenant string) *Server {
	t.Helper()
	s := NewServer(t, "Mimir", Program(t, Mimir), "/ready", "-config.file=mimir.yml")
	s.Prefix, s.Tenant = "/prometheus", tenant
	host, port, err := net.SplitHostPort(s.Address)
	if err != nil {
		t.Fatal(err)
	}
	_, grpc, err := net.SplitHostPort(FreeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	s.Write(t, "mimir.yml", strings.NewReplacer("HOST", host, "PORT", port, "GRPC", grpc).Replace(mimirConfig))
	return s
}

// As returns the running server for requests of another tenant.
func (s *Server) As(tenant string) *Server {
	return &Server{Name: s.Name, Prefix: s.Prefix, Address: s.Address, Tenant: tenant}
}
