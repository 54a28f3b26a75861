//go:build endtoend

package endtoend

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

// A notification is the body of a webhook request from Alertmanager.
type notification struct{ Alerts []alert }

type alert struct {
	Status              string
	Labels, Annotations map[string]string
}

// Alertmanager sends a notification that the daemon is down, with complete annotations,
// and another when it is back.
func TestAlert(t *testing.T) {
	t.Parallel()
	notifications := make(chan notification, 100)
	webhook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n notification
		if err := json.NewDecoder(r.Body).Decode(&n); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest) // also if the test has ended
			return
		}
		notifications <- n
	}))
	defer webhook.Close()
	manager := NewAlertmanager(t, fmt.Sprintf(`
route: {receiver: webhook, group_by: [alertname], group_wait: 0s, group_interval: 1s}
receivers: [{name: webhook, webhook_configs: [{url: %q}]}]
`, webhook.URL))
	daemon := NewDaemon(t, Daemon(t), fmt.Sprintf("sources: [{path: %q}]\n", t.TempDir()))
	config := scrapeConfig(daemon) + fmt.Sprintf(`
rule_files: ['*.rules']
alerting: {alertmanagers: [{static_configs: [{targets: [%q]}]}]}
`, manager.Address)
	server := NewPrometheus(t, "Prometheus 3", Prometheus, strings.Replace(config, "global: {", "global: {evaluation_interval: 1s, ", 1))
	writeRules(t, server, rulesInterval, alertFor)
	for _, s := range []*Server{manager, daemon, server} {
		s.Restart(t)
	}
	awaitRules(t, server)
	Eventually(t, "the daemon is up", func() error {
		if up := query(t, server, "up == 1"); len(up) != 1 {
			return fmt.Errorf("got up %v, want 1", up)
		}
		return nil
	})

	daemon.Stop(t)
	down := awaitAlert(t, notifications, "firing", daemon.Address)
	for _, name := range []string{"summary", "description", "runbook_url"} {
		text := down.Annotations[name]
		if text == "" || strings.Contains(text, "<no value>") || strings.Contains(text, "{{") {
			t.Errorf("got %s %q", name, text)
		}
	}
	if text := down.Annotations["description"]; !strings.Contains(text, daemon.Address) {
		t.Errorf("the description lacks the address: %s", text)
	}
	if down.Labels["severity"] != "warning" || down.Labels["job"] != "ccwatchd" {
		t.Errorf("got labels %v", down.Labels)
	}

	daemon.Start(t)
	awaitAlert(t, notifications, "resolved", daemon.Address)
}

// awaitAlert waits for a notification that an instance is down, or up again. Before its
// first scrape there may be one without an instance.
func awaitAlert(t *testing.T, notifications <-chan notification, status, instance string) alert {
	t.Helper()
	deadline := time.After(polltest.Timeout)
	for {
		select {
		case n := <-notifications:
			for _, alert := range n.Alerts {
				if alert.Status == status && alert.Labels["alertname"] == "CcwatchdDown" && alert.Labels["instance"] == instance {
					return alert
				}
			}
		case <-deadline:
			t.Fatalf("after %v, got no notification that the alert of %s is %s", polltest.Timeout, instance, status)
		}
	}
}
