package servicecmd

import (
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"github.com/kardianos/service"
	"github.com/prometheus/common/promslog"
)

// eventsOf is a log of events that remembers them.
type eventsOf struct {
	service.Logger
	all []string
}

func (e *eventsOf) add(kind string, v []any) error {
	e.all = append(e.all, kind+": "+fmt.Sprint(v...))
	return nil
}

func (e *eventsOf) Error(v ...any) error   { return e.add("error", v) }
func (e *eventsOf) Warning(v ...any) error { return e.add("warning", v) }
func (e *eventsOf) Info(v ...any) error    { return e.add("info", v) }

func TestLinesBecomeEvents(t *testing.T) {
	var events eventsOf
	log := slog.New(newEventHandler(&events, &promslog.Config{}))
	log.Debug("Not told")
	log.Info("Started", "files", 2)
	log.With("root", "/a").Warn("Odd")
	log.WithGroup("g").Error("Failed", "n", 1)
	for i, want := range []string{
		`^info: time=\S+ level=INFO source=\S+ msg=Started files=2$`,
		`^warning: time=\S+ level=WARN source=\S+ msg=Odd root=/a$`,
		`^error: time=\S+ level=ERROR source=\S+ msg=Failed g.n=1$`,
	} {
		if i >= len(events.all) || !regexp.MustCompile(want).MatchString(events.all[i]) {
			t.Fatalf("the events are\n%s\nwant\n%s", strings.Join(events.all, "\n"), want)
		}
	}
	if len(events.all) != 3 {
		t.Errorf("there are %d events, want 3", len(events.all))
	}
}
