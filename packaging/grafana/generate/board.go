package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// A board is one dashboard.
type board struct {
	name   string // of its file, and after "ccwatchd-" its place in URLs
	title  string
	about  string
	panels []panel
}

// What all dashboards have, and by what they find each other.
const tag = "ccwatchd"

// The names of the dashboards that something is different for: lists of projects
// lead to the one, and nothing on the other has a project.
const (
	projectsName = "projects"
	daemonName   = "daemon"
)

func boards() []board {
	return []board{overview(), projects(), cache(), tools(), daemon()}
}

// build makes the dashboard as Grafana knows it.
func (b board) build(s scope) (dashboard.Dashboard, error) {
	d := dashboard.NewDashboardBuilder("ccwatchd / "+b.title).
		Uid(uid(b.name)).
		Description(b.about).
		Tags([]string{tag}).
		Readonly().
		Timezone("browser").
		Time("now-24h", "now").
		Refresh("1m").
		Tooltip(dashboard.DashboardCursorSyncCrosshair)
	for _, v := range b.variables() {
		d.WithVariable(v)
	}
	for i, p := range b.panels {
		made, err := p.build(s, uint32(i+1))
		if err != nil {
			return dashboard.Dashboard{}, fmt.Errorf("dashboard %s: %w", b.name, err)
		}
		d.WithPanel(ready{made})
	}
	made, err := d.Build()
	made.Links = []dashboard.DashboardLink{toOthers()}
	return made, err
}

func uid(name string) string { return "ccwatchd-" + name }

// A ready panel needs no building any more.
type ready struct{ panel dashboard.Panel }

// Build returns the panel.
func (r ready) Build() (dashboard.Panel, error) { return r.panel, nil }

// toOthers is the row of links at the top, to all dashboards with the tag.
func toOthers() dashboard.DashboardLink {
	return dashboard.DashboardLink{
		Title: "ccwatchd", Type: dashboard.DashboardLinkTypeDashboards, Tags: []string{tag},
		Tooltip:     "Another dashboard of ccwatchd, with the same choices and time",
		IncludeVars: true, KeepTime: true,
	}
}

// toProject is the link from the name of a project in a list to its dashboard.
func toProject() dashboard.DashboardLink {
	url := "/d/" + uid(projectsName) + "?var-project=${__value.raw:percentencode}" +
		"&${datasource:queryparam}&${job:queryparam}&${instance:queryparam}&${user:queryparam}&${model:queryparam}&${__url_time_range}"
	return dashboard.DashboardLink{Title: "This project alone", Url: &url, Type: dashboard.DashboardLinkTypeLink, Tags: []string{}}
}

// variables returns what one can choose. All dashboards have the same, so that
// a choice survives the way through any of them; those that say nothing of
// what they show are hidden.
func (b board) variables() []cog.Builder[dashboard.VariableModel] {
	hide := dashboard.VariableHideDontHide
	if b.name == daemonName {
		hide = dashboard.VariableHideHideVariable
	}
	const all = `job=~"$job",instance=~"$instance"`
	return []cog.Builder[dashboard.VariableModel]{
		dashboard.NewDatasourceVariableBuilder("datasource").Label("Data Source").Type("prometheus"),
		choice("job", "Job", `ccwatchd_build_info`, ".+"),
		choice("instance", "Instance", `ccwatchd_build_info{job=~"$job"}`, ".+"),
		choice("user", "User", `claude_sessions_total{`+all+`}`, ".*").Hide(hide),
		choice("project", "Project", `claude_sessions_total{`+all+`,user=~"$user"}`, ".*").Hide(hide),
		choice("model", "Model", `claude_tokens_total{`+all+`,user=~"$user",project=~"$project"}`, ".*").Hide(hide),
	}
}

// choice is a variable of the values that a label of a family has. Sources that
// lack the label are among all of them, if what stands for all may be empty.
func choice(label, title, family, all string) *dashboard.QueryVariableBuilder {
	query := fmt.Sprintf("label_values(%s, %s)", family, label)
	return dashboard.NewQueryVariableBuilder(label).
		Label(title).
		Datasource(*datasource()).
		Query(dashboard.StringOrMap{Map: map[string]any{
			"qryType": 1, "query": query, "refId": "PrometheusVariableQueryEditor-VariableQuery",
		}}).
		Definition(query).
		Refresh(dashboard.VariableRefreshOnTimeRangeChanged).
		Sort(dashboard.VariableSortAlphabeticalCaseInsensitiveAsc).
		Multi(true).
		IncludeAll(true).
		AllValue(all).
		Current(dashboard.VariableOption{
			Text:  dashboard.StringOrArrayOfString{ArrayOfString: []string{"All"}},
			Value: dashboard.StringOrArrayOfString{ArrayOfString: []string{"$__all"}},
		})
}
