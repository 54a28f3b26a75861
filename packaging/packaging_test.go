package packaging

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
)

// All that there is for Prometheus and Grafana is in the program, and the rules are
// where the configuration beside them looks.
func TestMonitoring(t *testing.T) {
	var want []string
	for _, pattern := range []string{
		"grafana/dashboards/*", "grafana/provisioning/dashboards/*", "grafana/provisioning/datasources/*",
		"prometheus/*.yml", "prometheus/rules/*",
	} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %q, %v", pattern, found, err)
		}
		for _, name := range found {
			want = append(want, filepath.ToSlash(name))
		}
	}
	names := Monitoring()
	if !slices.Equal(names, want) {
		t.Errorf("there are\n%q, want\n%q", names, want)
	}
	var config struct {
		Rules []string `yaml:"rule_files"`
	}
	unmarshal(t, Prometheus, &config)
	if !slices.Equal(config.Rules, []string{"rules/*.yml"}) {
		t.Errorf("rules are looked for in %q", config.Rules)
	}
}

// Grafana notices at the start only that a path or a name does not fit.
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
		t.Errorf("the dashboards are found by %+v", provider)
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
	// A second default would keep Grafana from starting.
	if d := sources.DataSources; sources.Version != 1 || len(d) != 1 || d[0].Type != "prometheus" || d[0].URL != "http://localhost:9090" || d[0].Default || d[0].JSON.Interval != config.Jobs[0].Interval {
		t.Errorf("the data source is %+v, and scrapes come every %s", sources, config.Jobs[0].Interval)
	}
}

// What packages hold of it lies as "ccwatchd dashboards" would have it.
func TestPackagesHoldMonitoring(t *testing.T) {
	b, err := os.ReadFile("nfpm.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Contents []struct{ Src, Dst string }
	}
	if err := yaml.Unmarshal(b, &config); err != nil {
		t.Fatal(err)
	}
	at := make(map[string]string)
	for _, c := range config.Contents {
		at[c.Src] = c.Dst
	}
	for _, name := range Monitoring() {
		if got, want := at["packaging/"+name], "/usr/share/doc/ccwatchd/examples/"+name; got != want {
			t.Errorf("%s goes to %q, want %s", name, got, want)
		}
	}
}

func unmarshal(t *testing.T, name string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(Read(name)), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
