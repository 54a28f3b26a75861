package daemon

import (
	"log/slog"
	"time"

	"github.com/ccwatchd/ccwatchd/metrics"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// tellEvery is how often the progress of long work is logged.
const tellEvery = 5 * time.Second

// A progress tells how far the reading of many files is.
type progress struct {
	metrics.Progress
	log           *slog.Logger
	now           func() time.Time
	tell          func(metrics.Progress)
	start, logged time.Time
}

func newProgress(files []watcher.FoundFile, log *slog.Logger, now func() time.Time, tell func(metrics.Progress)) *progress {
	p := &progress{log: log, now: now, tell: tell, start: now(), logged: now()}
	p.FilesTotal = len(files)
	for _, f := range files {
		p.BytesTotal += f.Info.Size()
	}
	tell(p.Progress)
	return p
}

// done notes that a file has been read.
func (p *progress) done(f watcher.FoundFile) {
	p.Files++
	p.Bytes += f.Info.Size()
	now := p.now()
	if p.Bytes > 0 {
		share := float64(p.BytesTotal-p.Bytes) / float64(p.Bytes)
		p.Left = time.Duration(share * float64(now.Sub(p.start)))
	}
	p.tell(p.Progress)
	if now.Sub(p.logged) < tellEvery {
		return
	}
	p.logged = now
	p.log.Info("Catching up", "files", p.Files, "files_total", p.FilesTotal,
		"bytes", p.Bytes, "bytes_total", p.BytesTotal,
		"percent", 100*p.Bytes/max(1, p.BytesTotal), "left", p.Left.Round(time.Second))
}

// end notes that all have.
func (p *progress) end() {
	p.log.Info("Read all files", "files", p.Files, "bytes", p.Bytes, "took", p.now().Sub(p.start).Round(time.Millisecond))
}
