package play

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/ccwatchd/ccwatchd/test/claudecode/scenario"
	"github.com/ccwatchd/ccwatchd/test/claudecode/version"
)

// key is an API key of no worth.
const key = "sk-ant-scripted"

// prepare writes the files that Claude Code has after its first start, and the files of
// the scenario.
func (p *player) prepare(v version.Version) error {
	for _, dir := range []string{scenario.Work, filepath.Join(scenario.Home, ".claude/projects")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("prepare a home directory: %w", err)
		}
	}
	config := map[string]any{
		"hasCompletedOnboarding": true, "theme": "dark",
		"customApiKeyResponses": map[string]any{"approved": []string{key}, "rejected": []string{}},
		"projects": map[string]any{scenario.Work: map[string]any{
			"allowedTools": []string{}, "history": []string{}, "mcpContextUris": []string{}, "mcpServers": map[string]any{},
			"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true,
		}},
	}
	if v.Compare(version.MustParse("1.0.0")) < 0 {
		config["primaryApiKey"] = key
	}
	if err := writeJSON(filepath.Join(scenario.Home, ".claude.json"), config); err != nil {
		return fmt.Errorf("prepare a home directory: %w", err)
	}
	for path, text := range p.s.Files {
		mode := os.FileMode(0o600)
		if strings.HasPrefix(text, "#!") {
			mode = 0o700
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fmt.Errorf("prepare files: %w", err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			return fmt.Errorf("prepare files: %w", err)
		}
	}
	return nil
}

// environment returns the whole environment of Claude Code.
func (p *player) environment() (env []string) {
	all := map[string]string{
		"HOME": scenario.Home, "PATH": p.job.Path, "TERM": "xterm-256color", "LANG": "C.UTF-8",
		"ANTHROPIC_BASE_URL": p.url, "ANTHROPIC_API_KEY": key,
		"DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_ERROR_REPORTING": "1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
		"GIT_AUTHOR_NAME":                          "A", "GIT_AUTHOR_EMAIL": "a@example.org",
		"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org",
	}
	maps.Copy(all, p.s.Env)
	for name, value := range all {
		if value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}
