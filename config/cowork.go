package config

import (
	"cmp"
	"path/filepath"
)

// coworkSources returns the sources for Cowork, the local agent of Claude Desktop.
// Cowork runs Claude Code with a configuration directory per session, and keeps an
// audit.jsonl beside it that repeats the session.
func coworkSources(system string, env func(string) string) []Source {
	var sources []Source
	for _, dir := range desktopDirs(system, env) {
		sources = append(sources, Source{
			Path:   filepath.Join(dir, "Claude", "local-agent-mode-sessions", "*", "*", "local_*", ".claude", projectsDir),
			Labels: map[string]string{"client": "cowork"},
		})
	}
	return sources
}

// desktopDirs returns the directories for the data of applications on an operating
// system with Claude Desktop. A Windows Store package has its own directory.
func desktopDirs(system string, env func(string) string) []string {
	home := Home(env)
	inHome := func(variable string, names ...string) string {
		return cmp.Or(env(variable), filepath.Join(append([]string{home}, names...)...))
	}
	switch {
	case home == "":
		return nil
	case system == "darwin":
		return []string{filepath.Join(home, "Library", "Application Support")}
	case system == "windows":
		local := inHome("LOCALAPPDATA", "AppData", "Local")
		return []string{inHome("APPDATA", "AppData", "Roaming"), filepath.Join(local, "Packages", "Claude_*", "LocalCache", "Roaming")}
	}
	return nil
}
