package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/ccwatchd/ccwatchd/config"
	"github.com/ccwatchd/ccwatchd/internal/limits"
	"github.com/ccwatchd/ccwatchd/internal/statusclient"
	"github.com/ccwatchd/ccwatchd/test/demo"
	"github.com/ccwatchd/ccwatchd/test/gobuild"
)

// command returns the command that runs ccwatchd for a team until ctx is done. The end
// is not graceful, since a crash loses nothing and the state is removed.
func command(ctx context.Context, team *demo.Simulation, flags []string) (*exec.Cmd, error) {
	program, err := program(ctx, team.Dir())
	if err != nil {
		return nil, err
	}
	file := filepath.Join(team.Dir(), "ccwatchd.yml")
	text, err := json.Marshal(configuration(team)) // YAML, too
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("write configuration: %w", err)
	}
	flags = append(flags, "--config.file="+file, "--state.dir="+filepath.Join(team.Dir(), "state"))
	return exec.CommandContext(ctx, program, flags...), nil //nolint:gosec // flags of the user
}

// program returns the path of the ccwatchd beside this program. If there is none, it
// builds ccwatchd, in a directory.
func program(ctx context.Context, dir string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find ccwatchd: %w", err)
	}
	if beside, err := exec.LookPath(filepath.Join(filepath.Dir(self), "ccwatchd")); err == nil {
		return beside, nil
	}
	built := filepath.Join(dir, "ccwatchd.exe") // only Windows needs the extension
	if err := gobuild.Build(ctx, gobuild.Ccwatchd, built); err != nil {
		return "", fmt.Errorf("there is no ccwatchd beside %s: %w", self, err)
	}
	return built, nil
}

// minInterval is the lower bound of timeouts divided by the speed, so that a team on a
// busy machine does not seem idle.
const minInterval = 15 * time.Second

// minZeroWindow is the lower bound of the zero window: ccwatchd warns if it is shorter
// than the default scrape interval of Prometheus.
const minZeroWindow = time.Minute

// configuration returns a configuration that reads the sessions of a team, with
// timeouts divided by its speed.
func configuration(team *demo.Simulation) map[string]any {
	var sources []map[string]any
	for _, p := range team.People {
		sources = append(sources, map[string]any{"path": p.Projects(), "labels": p.Labels()})
	}
	divided := func(d config.Duration, least time.Duration) config.Duration {
		return min(d, max(config.Duration(float64(d)/team.Speed), config.Duration(least)))
	}
	usual := config.Settings().Intervals
	return map[string]any{
		"sources":    sources,
		"statusline": map[string]any{"accept_limits": true},
		"intervals": map[string]any{
			"message_timeout": divided(usual.MessageTimeout, minInterval),
			"session_active":  divided(usual.SessionActive, minInterval),
			"zero_window":     divided(usual.ZeroWindow, minZeroWindow),
		},
	}
}

// awaitReady waits until ccwatchd has read the past. Some events happen only once, soon
// after the team begins, and servers see only increases after their first scrape. It
// gives up after a while, in case a flag makes ccwatchd listen elsewhere.
func awaitReady(ctx context.Context, address string) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	client := statusclient.New(statusclient.URL(address))
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
		if err := client.Ready(ctx); err == nil {
			return
		}
	}
}

// reportLimits reports the usage limits of a team to ccwatchd until ctx is done, as
// status lines do.
func reportLimits(ctx context.Context, team *demo.Simulation, address string) error {
	client := statusclient.New(statusclient.URL(address))
	again := time.NewTicker(time.Second)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-again.C:
			for _, p := range team.People {
				body, err := json.Marshal(p.Limits(now))
				if err != nil {
					return fmt.Errorf("encode limits: %w", err)
				}
				_ = client.Post(ctx, limits.Path, body) // it may not listen yet
			}
		}
	}
}
