package daemon

import (
	"log/slog"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/status"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// logEvery is how often the progress is logged.
const logEvery = 5 * time.Second

// A progress logs and reports the progress of reading many files.
type progress struct {
	status.Progress
	log           *slog.Logger
	now           func() time.Time
	report        func(status.Progress)
	start, logged time.Time
}

func newProgress(files []watcher.FoundFile, log *slog.Logger, now func() time.Time, report func(status.Progress)) *progress {
	p := &progress{log: log, now: now, report: report, start: now(), logged: now()}
	p.FilesTotal = len(files)
	for _, f := range files {
		p.BytesTotal += f.Info.Size()
	}
	report(p.Progress)
	return p
}

// fileDone is called when a file has been read.
func (p *progress) fileDone(f watcher.FoundFile) {
	p.Files++
	p.Bytes += f.Info.Size()
	now := p.now()
	if p.Bytes > 0 {
		ratio := float64(p.BytesTotal-p.Bytes) / float64(p.Bytes)
		p.Left = time.Duration(ratio * float64(now.Sub(p.start)))
	}
	p.report(p.Progress)
	if now.Sub(p.logged) < logEvery {
		return
	}
	p.logged = now
	p.log.Info("Catching up", "files", p.Files, "files_total", p.FilesTotal,
		"bytes", p.Bytes, "bytes_total", p.BytesTotal,
		"percent", 100*p.Bytes/max(1, p.BytesTotal), "left", p.Left.Round(time.Second))
}

// finish is called when all files have been read.
func (p *progress) finish() {
	took := p.now().Sub(p.start).Round(time.Millisecond)
	p.log.Info("Read all files", "files", p.Files, "bytes", p.Bytes, "took", took)
}
