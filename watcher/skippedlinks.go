package watcher

import (
	"context"
	"log/slog"
	"path/filepath"
)

// skippedLinks are the links that are not followed and may hide files.
type skippedLinks map[File]LinkReason

func (s skippedLinks) add(link File, reason LinkReason) {
	if reason != notMissed {
		s[link] = reason
	}
}

// counts returns the number of links by reason, for each source with links.
func (s skippedLinks) counts() map[int]map[LinkReason]int {
	all := make(map[int]map[LinkReason]int)
	for link, reason := range s {
		if all[link.Root] == nil {
			all[link.Root] = make(map[LinkReason]int)
		}
		all[link.Root][reason]++
	}
	return all
}

// log logs the numbers of links below each source with a new link, and the paths of new
// links at debug level. A link that is not followed because of its owner may be an
// attempt to read other users' files, so it is a warning.
func (s skippedLinks) log(o Options, before skippedLinks) {
	levels := make(map[int]slog.Level)
	for link, reason := range s {
		if before[link] == reason {
			continue
		}
		o.Logger.Debug("Link is not followed", "path", filepath.Join(o.Roots[link.Root], link.Rel), "reason", reason)
		level := slog.LevelInfo
		if reason == LinkOwner {
			level = slog.LevelWarn
		}
		levels[link.Root] = max(level, levels[link.Root])
	}
	counts := s.counts()
	for source, level := range levels {
		attrs := []slog.Attr{slog.String("root", o.Roots[source])}
		for _, reason := range LinkReasons() {
			if n := counts[source][reason]; n > 0 {
				attrs = append(attrs, slog.Int(string(reason), n))
			}
		}
		attrs = append(attrs, slog.String("hint", "paths are logged at debug level"))
		o.Logger.LogAttrs(context.Background(), level, "Links below a source are not followed", attrs...)
	}
}
