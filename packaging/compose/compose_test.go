// Package compose tests the Docker Compose files here and in ../docker with the
// loader of Docker Compose; no container is started. It is a separate module, so
// that the daemon does not depend on the loader. "make check-compose" runs it.
package compose

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"go.yaml.in/yaml/v3"
)

const (
	daemonFile = "../docker/compose.yml"
	stackFile  = "compose.yml"
	demoFile   = "demo.yml"
)

// forEachProject loads every file with the home directory of a user and passes the
// project to a subtest.
func forEachProject(t *testing.T, test func(t *testing.T, file string, p *types.Project)) {
	t.Helper()
	for _, file := range []string{daemonFile, stackFile, demoFile} {
		t.Run(strings.ReplaceAll(file, "/", "-"), func(t *testing.T) {
			o, err := cli.NewProjectOptions([]string{file}, cli.WithEnv([]string{"HOME=/home/alice"}), cli.WithConsistency(true))
			if err != nil {
				t.Fatal(err)
			}
			p, err := o.LoadProject(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			test(t, file, p)
		})
	}
}

func TestProjects(t *testing.T) {
	want := map[string]string{
		daemonFile: "ccwatchd: ccwatchd; state",
		stackFile:  "ccwatchd: backfill ccwatchd grafana prometheus; grafana prometheus state",
		demoFile:   "ccwatchd-demo: backfill ccwatchd grafana prometheus; grafana prometheus",
	}
	forEachProject(t, func(t *testing.T, file string, p *types.Project) {
		got := p.Name + ": " + strings.Join(slices.Sorted(maps.Keys(p.Services)), " ") + "; " + strings.Join(slices.Sorted(maps.Keys(p.Volumes)), " ")
		if got != want[file] {
			t.Errorf("got services and volumes %q, want %q", got, want[file])
		}
	})
}

// Usage data is private: only this machine can connect, and only with a known Host
// header. Prometheus cannot check that header, so its port is not published.
func TestNetworkAccess(t *testing.T) {
	forEachProject(t, func(t *testing.T, _ string, p *types.Project) {
		for name, s := range p.Services {
			for _, port := range s.Ports {
				if port.HostIP != "127.0.0.1" || name == "prometheus" {
					t.Errorf("%s is published at %q", name, port.HostIP)
				}
			}
			if s.NetworkMode != "" || s.Privileged || !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Equal(s.SecurityOpt, []string{"no-new-privileges:true"}) {
				t.Errorf("%s has unneeded privileges", name)
			}
		}
		for _, flag := range []string{"--web.listen-address=:10229", "--web.allowed-host=ccwatchd"} {
			if command := p.Services["ccwatchd"].Command; !slices.Contains(command, flag) {
				t.Errorf("got arguments %q for ccwatchd, want %s", command, flag)
			}
		}
		grafana, present := p.Services["grafana"]
		for name, want := range map[string]string{
			"GF_SERVER_DOMAIN": "localhost", "GF_SERVER_ENFORCE_DOMAIN": "true",
			"GF_AUTH_ANONYMOUS_ORG_ROLE": "Editor", "GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION": "true",
		} {
			if got := grafana.Environment[name]; present && (got == nil || *got != want) {
				t.Errorf("%s is not %s", name, want)
			}
		}
	})
}

// Images have full names, since podman and buildah reject short names, and pinned
// versions. Only build images may have any patch release. Every service that is not
// built here has a health check; for ccwatchd, the Dockerfile has it.
func TestImages(t *testing.T) {
	const version = `^docker\.io/[a-z]+/[a-z]+:v?\d+\.\d+`
	pinned, minor := regexp.MustCompile(version+`\.\d+$`), regexp.MustCompile(version+`(\.\d+)?$`)
	forEachProject(t, func(t *testing.T, _ string, p *types.Project) {
		for name, s := range p.Services {
			if s.Build == nil {
				if !pinned.MatchString(s.Image) || s.HealthCheck == nil {
					t.Errorf("%s has image %q, health check %v", name, s.Image, s.HealthCheck)
				}
				continue
			}
			dockerfile := text(t, filepath.Join(s.Build.Context, s.Build.Dockerfile))
			images := regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(dockerfile, -1)
			for _, image := range images {
				if image[1] != "scratch" && !minor.MatchString(image[1]) {
					t.Errorf("%s is built from %s", name, image[1])
				}
			}
			if len(images) != 2 {
				t.Errorf("%s has %d build stages, want 2", name, len(images))
			}
		}
	})
}

// Mounted files exist and are read-only.
func TestMounts(t *testing.T) {
	forEachProject(t, func(t *testing.T, _ string, p *types.Project) {
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

// Prometheus and Grafana find their mounted files.
func TestConfiguredPaths(t *testing.T) {
	target := func(p *types.Project, service, source string) string {
		for _, v := range p.Services[service].Volumes {
			if strings.HasSuffix(filepath.ToSlash(v.Source), source) {
				return v.Target
			}
		}
		return "not mounted"
	}
	forEachProject(t, func(t *testing.T, file string, p *types.Project) {
		if file == daemonFile {
			t.Skip("no Prometheus and no Grafana")
		}
		var provider struct {
			Providers []struct{ Options struct{ Path string } }
		}
		if err := yaml.Unmarshal([]byte(text(t, "../grafana/provisioning/dashboards/ccwatchd.yml")), &provider); err != nil {
			t.Fatal(err)
		}
		dashboards := provider.Providers[0].Options.Path
		home := *p.Services["grafana"].Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
		for name, ok := range map[string]bool{
			"dashboards":     target(p, "grafana", "/packaging/grafana/dashboards") == dashboards,
			"home dashboard": home == dashboards+"/overview.json",
			"provider":       target(p, "grafana", "/provisioning/dashboards") == "/etc/grafana/provisioning/dashboards",
			"data source":    target(p, "grafana", "/compose/datasource.yml") == "/etc/grafana/provisioning/datasources/ccwatchd.yml",
			"configuration":  slices.Contains(p.Services["prometheus"].Command, "--config.file="+target(p, "prometheus", "/compose/prometheus.yml")),
			"rules":          target(p, "prometheus", "/prometheus/rules") == "/etc/prometheus/rules",
		} {
			if !ok {
				t.Errorf("the %s is not mounted where it is expected", name)
			}
		}
	})
}

// The backfill service sends what ccwatchd has recorded to Prometheus, as the series of
// its scrapes, and with a marker that it can write.
func TestBackfill(t *testing.T) {
	forEachProject(t, func(t *testing.T, file string, p *types.Project) {
		if file != stackFile {
			t.Skip("no backfill service")
		}
		s, server := p.Services["backfill"], p.Services["prometheus"]
		for flag, ok := range map[string]bool{
			"backfill":                    s.Command[0] == "backfill",
			"--url=http://ccwatchd:10229": strings.Contains(text(t, "prometheus.yml"), "targets: [ccwatchd:10229]"),
			"--to=http://prometheus:9090/api/v1/write": slices.Contains(server.Command, "--web.enable-remote-write-receiver") &&
				strings.Contains(text(t, "prometheus.yml"), "out_of_order_time_window: 10y"),
			"--marker=/state/backfilled": slices.ContainsFunc(s.Volumes, func(v types.ServiceVolumeConfig) bool { return v.Target == "/state" && !v.ReadOnly }),
		} {
			if !ok || !slices.Contains(s.Command, flag) {
				t.Errorf("%s does not fit the other files, or is missing in %q", flag, s.Command)
			}
		}
		if s.User != p.Services["ccwatchd"].User {
			t.Errorf("got user %s, want that of the owner of the volume", s.User)
		}
		for _, other := range []string{"ccwatchd", "prometheus"} {
			if s.DependsOn[other].Condition != types.ServiceConditionHealthy {
				t.Errorf("backfill does not wait for %s", other)
			}
		}
	})
}

// The variants of a file for Compose differ only in the address and a few settings,
// comments aside.
func TestVariants(t *testing.T) {
	const storage = "storage: {tsdb: {out_of_order_time_window: 10y}}\n"
	for _, test := range []struct{ here, original, from, to string }{
		{"prometheus.yml", "../prometheus/prometheus.yml", "localhost:10229]", "ccwatchd:10229]\n" + storage},
		{"datasource.yml", "../grafana/provisioning/datasources/ccwatchd.yml", "http://localhost:9090", "http://prometheus:9090\n    isDefault: true"},
	} {
		var got, want any
		for into, content := range map[*any]string{
			&got: text(t, test.here), &want: strings.ReplaceAll(text(t, test.original), test.from, test.to),
		} {
			if err := yaml.Unmarshal([]byte(content), into); err != nil {
				t.Fatalf("%s: %v", test.here, err)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s has %v, want %v", test.here, got, want)
		}
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
