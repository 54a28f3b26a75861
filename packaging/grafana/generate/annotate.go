package main

import "github.com/grafana/grafana-foundation-sdk/go/dashboard"

// An annotation marks events in all graphs. It can be switched at the top.
type annotation struct {
	name  string
	title string // of a mark
	color string
	on    bool // unless switched off
	expr  string
}

// annotations are the same in all dashboards, and mark no graph of days.
func annotations() []annotation {
	return []annotation{
		{
			name: "Limits", title: "Limit reached", color: "red", on: true,
			expr: `sum(increase(claude_api_errors_total{error="rate_limit"}[$__rate_interval])) > 0`,
		},
		{
			name: "New versions", title: "ccwatchd {{version}} on {{instance}}", color: "blue", on: true,
			expr: `sum by (instance, version) (ccwatchd_build_info) unless sum by (instance, version) (last_over_time(ccwatchd_build_info[$__range] offset $__interval))`,
		},
		{
			name: "Compactions", title: "{{trigger}} compaction in {{project}}", color: "purple",
			expr: `sum by (trigger, project) (increase(claude_compactions_total[$__rate_interval])) > 0`,
		},
	}
}

// query returns the annotation in the model of Grafana.
func (a annotation) query(s scope) (dashboard.AnnotationQuery, error) {
	expr, err := s.filter(a.expr, "")
	return dashboard.AnnotationQuery{Name: a.name, Datasource: datasource(), Enable: a.on, IconColor: a.color, Expr: &expr}, err
}

// completeAnnotations adds to the JSON of a dashboard the titles of marks, which are a
// field of the data source and not of Grafana's model, and the ids of panels without
// marks, which the model would write in base64.
func completeAnnotations(plain any, except []int) {
	top, _ := plain.(map[string]any)
	all, _ := top["annotations"].(map[string]any)
	list, _ := all["list"].([]any)
	for i, annotation := range list {
		annotation, ok := annotation.(map[string]any)
		if !ok {
			continue
		}
		annotation["titleFormat"] = annotations()[i].title
		if len(except) > 0 {
			annotation["filter"] = map[string]any{"exclude": true, "ids": except}
		}
	}
}
