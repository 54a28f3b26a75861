package main

import (
	"fmt"
	"slices"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// A board is one dashboard.
type board struct {
	name        string // of its file, and of its URL after "ccwatchd-"
	title       string
	description string
	panels      []panel // above all rows
	rows        []row
}

// A row is a part of a dashboard with a title.
type row struct {
	title string
	// collapsed is set for features that many people do not use: the title says how to get
	// them. Grafana queries such panels only when the row is opened.
	collapsed bool
	panels    []panel
}

// tag is on all dashboards, which link to each other by it.
const tag = "ccwatchd"

// Dashboards with special treatment: project names link to the first, and no series on
// the second has a project.
const (
	projectsName = "projects"
	daemonName   = "daemon"
)

func boards() []board {
	return []board{overview(), cost(), team(), projects(), cache(), requestsBoard(), tools(), agents(), daemon()}
}

// all returns the panels of a dashboard in order.
func (b board) all() []panel {
	all := slices.Clone(b.panels)
	for _, r := range b.rows {
		all = append(all, r.panels...)
	}
	return all
}

// build returns the dashboard in the model of Grafana.
func (b board) build(s scope) (dashboard.Dashboard, error) {
	s.fleet = b.name == teamName
	d := dashboard.NewDashboardBuilder(b.title).
		Uid(uid(b.name)).
		Description(b.description).
		Tags([]string{tag}).
		Readonly().
		Timezone("browser").
		Time("now-24h", "now").
		Refresh(b.refresh()).
		Tooltip(dashboard.DashboardCursorSyncCrosshair)
	for _, v := range b.variables() {
		d.WithVariable(v)
	}
	if err := b.layOut(d, s); err != nil {
		return dashboard.Dashboard{}, fmt.Errorf("dashboard %s: %w", b.name, err)
	}
	made, err := d.Build()
	if err != nil {
		return made, err
	}
	for _, a := range annotations() {
		annotation, err := a.query(s)
		if err != nil {
			return made, fmt.Errorf("annotation %s: %w", a.name, err)
		}
		made.Annotations.List = append(made.Annotations.List, annotation)
	}
	made.Links = []dashboard.DashboardLink{toOthers()}
	for i := range made.Templating.List { // only variables of type interval have these
		v := &made.Templating.List[i]
		v.Auto, v.AutoMin, v.AutoCount = nil, nil, nil
	}
	return made, nil
}

// layOut adds the panels, numbered from 1 in the order of all, and the rows.
func (b board) layOut(d *dashboard.DashboardBuilder, s scope) error {
	id, at := uint32(0), grid{}
	build := func(p panel) (ready[dashboard.Panel], error) {
		id++
		made, err := p.build(s, id)
		made.GridPos = at.next(p.width, p.height)
		return ready[dashboard.Panel]{made}, err
	}
	for i, r := range append([]row{{panels: b.panels}}, b.rows...) {
		made := dashboard.NewRowBuilder(r.title).Id(firstRow + uint32(i)).Collapsed(r.collapsed)
		if i > 0 {
			made.GridPos(*at.next(columns, 1))
		}
		below := at
		var open []ready[dashboard.Panel]
		for _, p := range r.panels {
			built, err := build(p)
			if err != nil {
				return err
			}
			open = append(open, built)
			if r.collapsed {
				made.WithPanel(built)
			}
		}
		if i > 0 {
			d.WithRow(made)
		}
		if r.collapsed {
			at = below
			continue
		}
		for _, built := range open {
			d.WithPanel(built)
		}
	}
	return nil
}

// columns is the width of a dashboard.
const columns = 24

// A grid places panels from left to right, and below the highest panel of a line.
type grid struct{ x, y, height uint32 }

func (g *grid) next(width, height uint32) *dashboard.GridPos {
	at := &dashboard.GridPos{X: g.x, Y: g.y, W: width, H: height}
	g.x, g.height = g.x+width, max(g.height, height)
	if g.x >= columns {
		*g = grid{y: g.y + g.height}
	}
	return at
}

// firstRow is the id of the first row. Ids of panels are lower.
const firstRow = 100

// refresh is how often Grafana repeats the queries: rarely if they cover days.
func (b board) refresh() string {
	if slices.ContainsFunc(b.all(), func(p panel) bool { return p.timeFrom != "" }) {
		return "5m"
	}
	return "1m"
}

// withoutEvents returns the ids of panels whose bars are days: all events of a day
// would be marks on one bar.
func (b board) withoutEvents() (ids []int) {
	for i, p := range b.all() {
		if p.kind == days {
			ids = append(ids, i+1)
		}
	}
	return ids
}

func uid(name string) string { return "ccwatchd-" + name }

// A ready element implements the builder interface.
type ready[T any] struct{ made T }

// Build returns the element.
func (r ready[T]) Build() (T, error) { return r.made, nil }

// toOthers is the menu of links to all dashboards with the tag.
func toOthers() dashboard.DashboardLink {
	return dashboard.DashboardLink{
		Title: "ccwatchd", Type: dashboard.DashboardLinkTypeDashboards, Tags: []string{tag},
		Tooltip:    "Other ccwatchd dashboards, with the same variables and time range",
		AsDropdown: true, IncludeVars: true, KeepTime: true,
	}
}

// toProject links the name of a project in a table to its dashboard.
func toProject() dashboard.DashboardLink {
	url := "/d/" + uid(projectsName) + "?var-project=${__value.raw:percentencode}" +
		"&${datasource:queryparam}&${job:queryparam}&${instance:queryparam}&${user:queryparam}&${model:queryparam}&${__url_time_range}"
	return dashboard.DashboardLink{Title: "Show this project", Url: &url, Type: dashboard.DashboardLinkTypeLink, Tags: []string{}}
}
