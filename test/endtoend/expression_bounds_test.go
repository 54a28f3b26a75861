//go:build endtoend

package endtoend

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// A server that scrapes the daemon and receives from it, too, stores each bound of a
// bucket once, whatever the format of its scrapes.
func TestExpressionBounds(t *testing.T) {
	t.Parallel()
	daemon := NewDaemon(t, Daemon(t), "")
	scraped := scrapeConfig(daemon)
	servers := []*Server{
		NewPrometheus(t, "Prometheus 3", Prometheus, scraped, "--web.enable-remote-write-receiver"),
		NewPrometheus(t, "Prometheus 3, scraping text", Prometheus, scraped+"    scrape_protocols: [PrometheusText0.0.4]\n", "--web.enable-remote-write-receiver"),
		NewPrometheus(t, "Prometheus 2", OldPrometheus, scraped, "--web.enable-remote-write-receiver"),
		NewVictoriaMetrics(t, scraped),
	}
	config := fmt.Sprintf("sources: [{path: %q}]\nremote_write:\n", t.TempDir())
	for i, s := range servers {
		config += fmt.Sprintf("  - {name: server%d, url: '%s/api/v1/write', interval: 1s, labels: {instance: pushed}}\n", i, s.URL())
	}
	daemon.Write(t, "ccwatchd.yml", config)
	daemon.Start(t)
	for _, s := range servers {
		s.Start(t)
	}
	for _, s := range servers {
		t.Run(s.Name, func(t *testing.T) {
			const buckets = `{__name__="ccwatchd_ingest_lag_seconds_bucket"}`
			var bounds []string
			Eventually(t, s.Name+" has scraped and received buckets", func() error {
				if n := len(query(t, s, `count by (instance) (`+buckets+`)`)); n != 2 {
					return fmt.Errorf("buckets of %d instances, want 2", n)
				}
				bounds = nil
				for _, ts := range query(t, s, `count by (le) (`+buckets+`)`) {
					bounds = append(bounds, ts.Labels["le"])
				}
				if len(bounds) == 0 {
					return errors.New("no buckets")
				}
				return nil
			})
			for _, bound := range bounds {
				if !strings.Contains(bound, ".") && bound != "+Inf" {
					t.Errorf("got bound %s, want %[1]s.0", bound)
				}
			}
		})
	}
}
