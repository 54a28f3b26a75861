package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// variables returns the variables. All dashboards have the same variables, so that
// links keep the selection, but variables without effect are hidden. Job and instance
// are shown only for the daemon and the team: few people run several daemons. Only the
// team dashboard has the host, and only the cost dashboard has the price of the plan.
func (b board) variables() []cog.Builder[dashboard.VariableModel] {
	show := func(where bool) dashboard.VariableHide {
		if where {
			return dashboard.VariableHideDontHide
		}
		return dashboard.VariableHideHideVariable
	}
	usage, machines := show(b.name != daemonName), show(b.name == daemonName || b.name == teamName)
	const all = `job=~"$job",instance=~"$instance"`
	variables := []cog.Builder[dashboard.VariableModel]{
		dashboard.NewDatasourceVariableBuilder("datasource").Label("Data source").Type("prometheus"),
		labelVariable("job", "Job", `ccwatchd_build_info`, ".+").Hide(machines),
		labelVariable("instance", "Instance", `ccwatchd_build_info{job=~"$job"}`, ".+").Hide(machines),
		labelVariable("user", "User", `claude_sessions_total{`+all+`}`, ".*").Hide(usage),
		labelVariable("project", "Project", `claude_sessions_total{`+all+`,user=~"$user"}`, ".*").Hide(usage),
		labelVariable("model", "Model", `claude_tokens_total{`+all+`,user=~"$user",project=~"$project"}`, ".*").Hide(usage),
	}
	switch b.name {
	case teamName:
		variables = append(variables, labelVariable("host", "Host", `claude_sessions_total{`+all+`,user=~"$user"}`, ".*"))
	case costName:
		variables = append(variables, dashboard.NewConstantVariableBuilder(planPrice).
			Label("Price of the plan").
			Description("US dollars per month, of all subscriptions together. 0: unknown.").
			Value(dashboard.StringOrMap{String: new("0")}))
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
