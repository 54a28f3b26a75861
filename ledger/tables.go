package ledger

import "github.com/ccwatchd/ccwatchd/table"

const (
	// CountersField is the field of the counters, which is persisted.
	CountersField table.Number = 1
	// LastOwnField is the last number for tables that the owner of the ledger adds.
	LastOwnField table.Number = 9
)

// The numbers of the tables, which are persisted: a number never changes and is never
// reused, and a new table gets the next number. A table precedes the tables whose rows
// refer to its values.
const (
	tableFileAttrs         table.Number = 10
	tableMessageLabels     table.Number = 11
	tablePrices            table.Number = 12
	tableUnpricedRequests  table.Number = 13
	tableAttributions      table.Number = 14
	tableToolLabels        table.Number = 15
	tableSessionModels     table.Number = 16
	tableFiles             table.Number = 17
	tableGroups            table.Number = 18
	tableHeld              table.Number = 19
	tableFullRecords       table.Number = 20
	tableCounted           table.Number = 21
	tableCharges           table.Number = 22
	tableUnpriced          table.Number = 23
	tableTools             table.Number = 24
	tableOrphans           table.Number = 25
	tableTurns             table.Number = 26
	tableTurnKeys          table.Number = 27
	tableTimings           table.Number = 28
	tableCauses            table.Number = 29
	tableSideRequests      table.Number = 30
	tableRuns              table.Number = 31
	tableSubagents         table.Number = 32
	tableSlotCounts        table.Number = 33
	tableSlotHolders       table.Number = 34
	tableReported          table.Number = 35
	tableSessionUsage      table.Number = 36
	tableSessionIntervals  table.Number = 37
	tableSessionTotals     table.Number = 38
	tableVersions          table.Number = 39
	tableSessions          table.Number = 40
	tableEndedSessions     table.Number = 41
	tablePrompts           table.Number = 42
	tableQueuedPrompts     table.Number = 43
	tablePromptTexts       table.Number = 44
	tableCompactions       table.Number = 45
	tableCompactionTimes   table.Number = 46
	tableTurnPrompts       table.Number = 47
	tableTurnTexts         table.Number = 48
	tableQueueOperations   table.Number = 49
	tableLimitHits         table.Number = 50
	tableHooks             table.Number = 51
	tableHookRuns          table.Number = 52
	tableHookClaims        table.Number = 53
	tableAPIErrors         table.Number = 54
	tableTurnDurations     table.Number = 55
	tableTurnDurationTimes table.Number = 56
	tableShortIDs          table.Number = 57
	tableRetryFacts        table.Number = 58
	tableCommitFacts       table.Number = 59
	tablePullRequestFacts  table.Number = 60
	tableFileFacts         table.Number = 61
	tableBackgroundFacts   table.Number = 62
	tableCostBasisFacts    table.Number = 63
	tableOlderKeys         table.Number = 64
	tableSessionRemarks    table.Number = 65
	tableSearchCalls       table.Number = 66
	tableWaitingSessions   table.Number = 67
)
