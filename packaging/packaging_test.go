package packaging

import (
	"slices"
	"testing"
)

// All files for Prometheus and Grafana are embedded, and prometheus.yml finds the
// rules.
func TestMonitoring(t *testing.T) {
	var want []string
	for _, pattern := range []string{
		"grafana/dashboards/*", "grafana/provisioning/dashboards/*", "grafana/provisioning/datasources/*",
		"prometheus/*.yml", "prometheus/rules/*",
	} {
		want = append(want, glob(t, pattern)...)
	}
	names := Monitoring()
	if !slices.Equal(names, want) {
		t.Errorf("got\n%q, want\n%q", names, want)
	}
	var config struct {
		Rules []string `yaml:"rule_files"`
	}
	unmarshal(t, Prometheus, &config)
	if !slices.Equal(config.Rules, []string{"rules/*.yml"}) {
		t.Errorf("got rule files %q", config.Rules)
	}
}

// Grafana reports a wrong path or name only at startup.
func TestProvisioning(t *testing.T) {
	var provider struct {
		Version   int `yaml:"apiVersion"`
		Providers []struct {
			Name, Type, Folder string
			Options            struct{ Path string }
		}
	}
	unmarshal(t, "grafana/provisioning/dashboards/ccwatchd.yml", &provider)
	if p := provider.Providers; provider.Version != 1 || len(p) != 1 || p[0].Type != "file" || p[0].Options.Path != "/var/lib/grafana/dashboards/ccwatchd" {
		t.Errorf("got dashboard provider %+v", provider)
	}
	var sources struct {
		Version     int `yaml:"apiVersion"`
		DataSources []struct {
			Name, Type, URL string
			Default         bool `yaml:"isDefault"`
			JSON            struct {
				Interval string `yaml:"timeInterval"`
			} `yaml:"jsonData"`
		} `yaml:"datasources"`
	}
	unmarshal(t, "grafana/provisioning/datasources/ccwatchd.yml", &sources)
	var config struct {
		Jobs []struct {
			Interval string `yaml:"scrape_interval"`
		} `yaml:"scrape_configs"`
	}
	unmarshal(t, Prometheus, &config)
	// Grafana does not start with two default data sources.
	if d := sources.DataSources; sources.Version != 1 || len(d) != 1 || d[0].Type != "prometheus" || d[0].URL != "http://localhost:9090" || d[0].Default || d[0].JSON.Interval != config.Jobs[0].Interval {
		t.Errorf("got data source %+v, want one with the scrape interval %s", sources, config.Jobs[0].Interval)
	}
}

// Packages contain the files in the layout that "ccwatchd dashboards" writes.
func TestPackagesContainMonitoring(t *testing.T) {
	var config struct {
		Contents []struct{ Src, Dst string }
	}
	unmarshal(t, "nfpm.yaml", &config)
	destinations := make(map[string]string)
	for _, c := range config.Contents {
		destinations[c.Src] = c.Dst
	}
	for _, name := range Monitoring() {
		if got, want := destinations["packaging/"+name], "/usr/share/doc/ccwatchd/examples/"+name; got != want {
			t.Errorf("%s is installed as %q, want %s", name, got, want)
		}
	}
}
