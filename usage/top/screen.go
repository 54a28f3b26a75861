package top

import (
	"context"
	"fmt"
	"time"

	"github.com/gdamore/tcell/v3"
	"github.com/gdamore/tcell/v3/color"

	"github.com/ccwatchd/ccwatchd/internal/terminal"
)

// Options configure Run. All are required unless their comment says otherwise.
type Options struct {
	Source   Source
	Interval time.Duration // between two requests for data
	// Terminal is the terminal to show the sessions in; nil is the terminal of the
	// process.
	Terminal tcell.Tty
}

// Run shows the sessions until the user quits or the context ends. It returns the error
// of the first request for data, and otherwise only errors of the terminal, which it
// always leaves as it was.
func Run(ctx context.Context, o Options) error {
	data, err := o.Source(ctx)
	if err != nil {
		return err
	}
	screen, err := tcell.NewTerminfoScreenFromTty(o.Terminal, tcell.OptSanitizeContent(true))
	if err != nil {
		return fmt.Errorf("open the terminal: %w", err)
	}
	for r, replacement := range map[rune]string{'●': "*", '…': "~", '–': "-"} {
		screen.RegisterRuneFallback(r, replacement)
	}
	if err := screen.Init(); err != nil {
		return fmt.Errorf("open the terminal: %w", err)
	}
	defer screen.Fini()
	ctx, cancel := context.WithCancel(ctx)
	results := make(chan result)
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.poll(ctx, results)
	}()
	defer func() { cancel(); <-done }()
	v := &view{data: data, received: time.Now()}
	return v.run(ctx, screen, results)
}

// A result is the response to a request for data.
type result struct {
	data Data
	err  error
}

func (o *Options) poll(ctx context.Context, results chan<- result) {
	tick := time.NewTicker(o.Interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		data, err := o.Source(ctx)
		select {
		case <-ctx.Done():
			return
		case results <- result{data, err}:
		}
	}
}

// run handles events until the user quits or the context ends.
func (v *view) run(ctx context.Context, screen tcell.Screen, results <-chan result) error {
	for {
		v.draw(screen)
		select {
		case <-ctx.Done():
			return nil
		case r := <-results:
			v.update(r)
		case e := <-screen.EventQ():
			switch e := e.(type) {
			case *tcell.EventResize:
				screen.Sync()
			case *tcell.EventError:
				return fmt.Errorf("read from the terminal: %w", e)
			case *tcell.EventKey:
				if isQuit(e) {
					return nil
				}
				v.press(nameOf(e))
			}
		}
	}
}

// update takes over the response to a request. After an error the data stay.
func (v *view) update(r result) {
	if v.failure = r.err; r.err == nil {
		v.data, v.received = r.data, time.Now()
	}
}

// isQuit reports whether a key ends the program.
func isQuit(e *tcell.EventKey) bool {
	return e.Key() == tcell.KeyEscape || e.Key() == tcell.KeyCtrlC || e.Str() == "q"
}

// nameOf returns the name of a key for view.press.
func nameOf(e *tcell.EventKey) string {
	switch e.Key() {
	case tcell.KeyUp:
		return "up"
	case tcell.KeyDown:
		return "down"
	case tcell.KeyPgUp:
		return "pgup"
	case tcell.KeyPgDn:
		return "pgdn"
	case tcell.KeyHome:
		return "home"
	case tcell.KeyEnd:
		return "end"
	}
	return e.Str()
}

// draw shows the view. Only cells that have changed are sent to the terminal.
func (v *view) draw(screen tcell.Screen) {
	width, height := screen.Size()
	screen.Clear()
	for y, l := range v.lines(width, height, time.Now()) {
		x := 0
		for _, s := range l {
			screen.PutStrStyled(x, y, s.text, styles[s.look])
			x += terminal.Width(s.text)
		}
	}
	screen.Show()
}

// styles are the appearances of looks. They differ without colors, too, except for
// looks that only stress facts stated in the text.
var styles = map[look]tcell.Style{
	plain:    tcell.StyleDefault,
	strong:   tcell.StyleDefault.Bold(true),
	faint:    tcell.StyleDefault.Dim(true),
	header:   tcell.StyleDefault.Reverse(true),
	sortedBy: tcell.StyleDefault.Reverse(true).Bold(true).Underline(true),
	good:     tcell.StyleDefault.Foreground(color.Green).Bold(true),
	warning:  tcell.StyleDefault.Foreground(color.Yellow),
	alarm:    tcell.StyleDefault.Foreground(color.Red).Bold(true),
}
