// Package compose has Docker Compose's own reader look at the files for it, here
// and in ../docker. It is a module of its own, so that the daemon needs nothing of
// what that needs; "make check-compose" runs it. Nothing of it is ever started.
package compose

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"go.yaml.in/yaml/v3"
)

const (
	alone = "../docker/compose.yml"
	whole = "compose.yml"
	demo  = "demo.yml"
)

// each reads every file as for somebody at home, and has it tested.
func each(t *testing.T, test func(t *testing.T, p *types.Project)) {
	t.Helper()
	for _, file := range []string{alone, whole, demo} {
		t.Run(strings.ReplaceAll(file, "/", "-"), func(t *testing.T) {
			o, err := cli.NewProjectOptions([]string{file}, cli.WithEnv([]string{"HOME=/home/alice"}), cli.WithConsistency(true))
			if err != nil {
				t.Fatal(err)
			}
			p, err := o.LoadProject(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			test(t, p)
		})
	}
}

func TestProjects(t *testing.T) {
	want := map[string]string{
		alone: "ccwatchd: ccwatchd; state",
		whole: "ccwatchd: ccwatchd grafana prometheus; grafana prometheus state",
		demo:  "ccwatchd-demo: ccwatchd grafana prometheus; grafana prometheus",
	}
	each(t, func(t *testing.T, p *types.Project) {
		got := p.Name + ": " + strings.Join(slices.Sorted(maps.Keys(p.Services)), " ") + "; " + strings.Join(slices.Sorted(maps.Keys(p.Volumes)), " ")
		file, err := filepath.Rel(mustWorkingDir(t), p.ComposeFiles[0])
		if err != nil || got != want[filepath.ToSlash(file)] {
			t.Errorf("%s is %q, %v, want %q", file, got, err, want[filepath.ToSlash(file)])
		}
	})
}

func mustWorkingDir(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Usage is private: nobody but this machine can connect, and by no name that a web
// page could have. Prometheus cannot tell names apart, and is not to be reached.
func TestWhoCanConnect(t *testing.T) {
	each(t, func(t *testing.T, p *types.Project) {
		for name, s := range p.Services {
			for _, port := range s.Ports {
				if port.HostIP != "127.0.0.1" || name == "prometheus" {
					t.Errorf("%s is published at %q", name, port.HostIP)
				}
			}
			if s.NetworkMode != "" || s.Privileged || !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Equal(s.SecurityOpt, []string{"no-new-privileges:true"}) {
				t.Errorf("%s may do more than it needs to", name)
			}
		}
		if command := p.Services["ccwatchd"].Command; !slices.Equal(command[1:], []string{"--web.listen-address=:10229", "--web.allowed-host=ccwatchd"}) {
			t.Errorf("ccwatchd has the arguments %q", command)
		}
		grafana, there := p.Services["grafana"]
		for name, want := range map[string]string{
			"GF_SERVER_DOMAIN": "localhost", "GF_SERVER_ENFORCE_DOMAIN": "true",
			"GF_AUTH_ANONYMOUS_ORG_ROLE": "Editor", "GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION": "true",
		} {
			if got := grafana.Environment[name]; there && (got == nil || *got != want) {
				t.Errorf("%s is not %s", name, want)
			}
		}
	})
}

// The same every time: what is not built from here is of one version, and says
// whether it is well. The Dockerfile says how to ask that of ccwatchd.
func TestImages(t *testing.T) {
	version := regexp.MustCompile(`^[a-z/]+:v?\d+\.\d+\.\d+$`)
	each(t, func(t *testing.T, p *types.Project) {
		for name, s := range p.Services {
			if s.Build != nil {
				if _, err := os.Stat(filepath.Join(s.Build.Context, s.Build.Dockerfile)); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			if !version.MatchString(s.Image) || s.HealthCheck == nil {
				t.Errorf("%s is of %q, with the check %v", name, s.Image, s.HealthCheck)
			}
		}
	})
}

// What is mounted is there, and stays as it is.
func TestMounts(t *testing.T) {
	each(t, func(t *testing.T, p *types.Project) {
		for name, s := range p.Services {
			for _, v := range s.Volumes {
				if v.Type != types.VolumeTypeBind {
					continue
				}
				_, err := os.Stat(v.Source)
				sessions := v.Source == "/home/alice/.claude" && !bool(v.Bind.CreateHostPath)
				if !v.ReadOnly || err != nil && !sessions {
					t.Errorf("%s has %s at %s, read-only: %v, %v", name, v.Source, v.Target, v.ReadOnly, err)
				}
			}
		}
	})
}

// Everybody finds the others, and what it is to read.
func TestServersAreToldWhere(t *testing.T) {
	target := func(p *types.Project, service, source string) string {
		for _, v := range p.Services[service].Volumes {
			if strings.HasSuffix(filepath.ToSlash(v.Source), source) {
				return v.Target
			}
		}
		return "nowhere"
	}
	each(t, func(t *testing.T, p *types.Project) {
		if len(p.Services) == 1 {
			t.Skip("there is nobody else")
		}
		var provider struct {
			Providers []struct{ Options struct{ Path string } }
		}
		read(t, "../grafana/provisioning/dashboards/ccwatchd.yml", &provider)
		dashboards := provider.Providers[0].Options.Path
		home := *p.Services["grafana"].Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
		for what, ok := range map[string]bool{
			"dashboards":     target(p, "grafana", "/packaging/grafana/dashboards") == dashboards,
			"home dashboard": home == dashboards+"/overview.json",
			"provider":       target(p, "grafana", "/provisioning/dashboards") == "/etc/grafana/provisioning/dashboards",
			"data source":    target(p, "grafana", "/compose/datasource.yml") == "/etc/grafana/provisioning/datasources/ccwatchd.yml",
			"configuration":  slices.Contains(p.Services["prometheus"].Command, "--config.file="+target(p, "prometheus", "/compose/prometheus.yml")),
			"rules":          target(p, "prometheus", "/prometheus/rules") == "/etc/prometheus/rules",
		} {
			if !ok {
				t.Errorf("the %s is not where it is looked for", what)
			}
		}
	})
}

// The files that exist twice differ in the address alone.
func TestConfigurations(t *testing.T) {
	for _, test := range []struct{ here, there, from, to string }{
		{"prometheus.yml", "../prometheus/prometheus.yml", "localhost:10229", "ccwatchd:10229"},
		{"datasource.yml", "../grafana/provisioning/datasources/ccwatchd.yml", "http://localhost:9090", "http://prometheus:9090\n    isDefault: true"},
	} {
		here, there := text(t, test.here), text(t, test.there)
		if got, want := plain(t, here), plain(t, strings.ReplaceAll(there, test.from, test.to)); got != want {
			t.Errorf("%s is\n%swant\n%s", test.here, got, want)
		}
	}
}

func read(t *testing.T, name string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text(t, name)), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// plain is a text without comments.
func plain(t *testing.T, yml string) string {
	t.Helper()
	var content any
	if err := yaml.Unmarshal([]byte(yml), &content); err != nil {
		t.Fatal(err)
	}
	b, err := yaml.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
