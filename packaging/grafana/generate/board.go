package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// A board is one dashboard.
type board struct {
	name   string // of its file, and of its URL after "ccwatchd-"
	title  string
	about  string
	panels []panel
}

// tag is on all dashboards, which link to each other by it.
const tag = "ccwatchd"

// Dashboards with special treatment: project names link to the first, and nothing on
// the second has a project.
const (
	projectsName = "projects"
	daemonName   = "daemon"
)

func boards() []board {
	return []board{overview(), cost(), team(), projects(), cache(), requestsBoard(), tools(), agents(), daemon()}
}

// build returns the dashboard in the model of Grafana.
func (b board) build(s scope) (dashboard.Dashboard, error) {
	s.fleet = b.name == teamName
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
	if err != nil {
		return made, err
	}
	for _, a := range annotations() {
		one, err := a.query(s)
		if err != nil {
			return made, fmt.Errorf("annotation %s: %w", a.name, err)
		}
		made.Annotations.List = append(made.Annotations.List, one)
	}
	made.Links = []dashboard.DashboardLink{toOthers()}
	for i := range made.Templating.List { // only variables of type interval have these
		v := &made.Templating.List[i]
		v.Auto, v.AutoMin, v.AutoCount = nil, nil, nil
	}
	return made, nil
}

func uid(name string) string { return "ccwatchd-" + name }

// A ready panel implements the builder interface.
type ready struct{ panel dashboard.Panel }

// Build returns the panel.
func (r ready) Build() (dashboard.Panel, error) { return r.panel, nil }

// toOthers is the menu of links to all dashboards with the tag.
func toOthers() dashboard.DashboardLink {
	return dashboard.DashboardLink{
		Title: "ccwatchd", Type: dashboard.DashboardLinkTypeDashboards, Tags: []string{tag},
		Tooltip:     "Other ccwatchd dashboards, with the same variables and time range",
		IncludeVars: true, KeepTime: true,
	}
}

// toProject links the name of a project in a table to its dashboard.
func toProject() dashboard.DashboardLink {
	url := "/d/" + uid(projectsName) + "?var-project=${__value.raw:percentencode}" +
		"&${datasource:queryparam}&${job:queryparam}&${instance:queryparam}&${user:queryparam}&${model:queryparam}&${__url_time_range}"
	return dashboard.DashboardLink{Title: "Show this project", Url: &url, Type: dashboard.DashboardLinkTypeLink, Tags: []string{}}
}

// variables returns the variables. All dashboards have the same, so that links keep
// the selection; those without effect are hidden. Only that of a team has the host.
func (b board) variables() []cog.Builder[dashboard.VariableModel] {
	hide := dashboard.VariableHideDontHide
	if b.name == daemonName {
		hide = dashboard.VariableHideHideVariable
	}
	const all = `job=~"$job",instance=~"$instance"`
	variables := []cog.Builder[dashboard.VariableModel]{
		dashboard.NewDatasourceVariableBuilder("datasource").Label("Data source").Type("prometheus"),
		labelVariable("job", "Job", `ccwatchd_build_info`, ".+"),
		labelVariable("instance", "Instance", `ccwatchd_build_info{job=~"$job"}`, ".+"),
		labelVariable("user", "User", `claude_sessions_total{`+all+`}`, ".*").Hide(hide),
		labelVariable("project", "Project", `claude_sessions_total{`+all+`,user=~"$user"}`, ".*").Hide(hide),
		labelVariable("model", "Model", `claude_tokens_total{`+all+`,user=~"$user",project=~"$project"}`, ".*").Hide(hide),
	}
	if b.name == teamName {
		variables = append(variables, labelVariable("host", "Host", `claude_sessions_total{`+all+`,user=~"$user"}`, ".*"))
	}
	return variables
}

// labelVariable is a variable with the values of a label. Series without the label are
// part of All if its pattern matches the empty string.
func labelVariable(label, title, family, all string) *dashboard.QueryVariableBuilder {
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
