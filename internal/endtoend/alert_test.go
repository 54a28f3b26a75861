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
)

// A notice is what Alertmanager sends to whom it wakes.
type notice struct{ Alerts []alert }

// An alert is one of a notice.
type alert struct {
	Status              string
	Labels, Annotations map[string]string
}

// Somebody is told that the daemon is gone, in words that say which one and what to
// do, and then that it is back.
func TestAlert(t *testing.T) {
	t.Parallel()
	notices := make(chan notice, 100)
	phone := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var n notice
		if err := json.NewDecoder(r.Body).Decode(&n); err != nil {
			t.Error(err)
		}
		notices <- n
	}))
	defer phone.Close()
	manager := NewAlertmanager(t, fmt.Sprintf(`
route: {receiver: phone, group_by: [alertname], group_wait: 0s, group_interval: 1s}
receivers: [{name: phone, webhook_configs: [{url: %q}]}]
`, phone.URL))
	daemon := NewDaemon(t, Daemon(t), fmt.Sprintf("sources: [{path: %q}]\n", t.TempDir()))
	config := scrapeConfig(daemon) + fmt.Sprintf(`
rule_files: ['*.rules']
alerting: {alertmanagers: [{static_configs: [{targets: [%q]}]}]}
`, manager.Address)
	server := NewPrometheus(t, "Prometheus 3", Prometheus, strings.Replace(config, "global: {", "global: {evaluation_interval: 1s, ", 1))
	writeRules(t, server, rulesInterval, alertFor)
	for _, s := range []*Server{manager, daemon, server} {
		s.Start(t)
	}
	eventuallyWell(t, server)
	Eventually(t, "the daemon is up", func() error {
		if up := ask(t, server, "up == 1"); len(up) != 1 {
			return fmt.Errorf("up is %v", up)
		}
		return nil
	})

	daemon.Stop(t)
	down := await(t, notices, "firing", daemon.Address)
	for _, name := range []string{"summary", "description", "runbook_url"} {
		text := down.Annotations[name]
		if text == "" || strings.Contains(text, "<no value>") || strings.Contains(text, "{{") {
			t.Errorf("%s is %q", name, text)
		}
	}
	if text := down.Annotations["description"]; !strings.Contains(text, daemon.Address) {
		t.Errorf("the description does not tell which daemon it is: %s", text)
	}
	if down.Labels["severity"] != "warning" || down.Labels["job"] != "ccwatchd" {
		t.Errorf("the labels are %v", down.Labels)
	}

	daemon.Start(t)
	await(t, notices, "resolved", daemon.Address)
}

// await waits for a notice that an instance is down, or up again. Before it was
// scraped for the first time there may be one that there is none.
func await(t *testing.T, notices <-chan notice, status, instance string) alert {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case n := <-notices:
			for _, one := range n.Alerts {
				if one.Status == status && one.Labels["alertname"] == "CcwatchdDown" && one.Labels["instance"] == instance {
					return one
				}
			}
		case <-deadline:
			t.Fatalf("after %v there is no notice that %s is %s", patience, instance, status)
		}
	}
}
