package corpus

// What texts are made of. None of the words must be one by which a failure or a
// prompt is told: the class of an error is read off its text.

var words = []string{
	"the", "a", "this", "which", "every", "and", "but", "when", "because", "then", "it", "we", "now", "only", "also",
	"test", "file", "change", "parser", "handler", "index", "cache", "request", "server", "client", "module", "branch",
	"database", "migration", "schema", "component", "config", "build", "release", "log", "queue", "worker", "token",
	"returns", "reads", "writes", "fails", "passes", "needs", "checks", "updates", "renders", "expects", "keeps", "moves",
	"empty", "missing", "new", "old", "same", "right", "wrong", "slow", "fast", "small", "first", "last", "next", "stale",
	"before", "after", "with", "without", "into", "from", "behind", "instead", "again", "already", "there", "here", "so",
}

var nouns = []string{
	"user", "order", "session", "item", "price", "event", "node", "page", "route", "store", "filter", "field", "table",
	"model", "view", "state", "error", "result", "option", "value", "buffer", "reader", "writer", "header", "body", "key",
	"token", "account", "message", "channel", "worker", "job", "batch", "report", "chart", "theme", "layout", "form",
}

var folders = []string{
	"src", "src/api", "src/components", "src/lib/auth", "internal/store", "internal/http", "cmd/server", "pkg/queue",
	"tests", "tests/e2e", "app/models", "app/(dashboard)/settings", "packages/ui/src", "docs", "scripts", "migrations",
}

var endings = []string{".go", ".ts", ".tsx", ".py", ".rs", ".sql", ".md", ".json", ".css", "_test.go", ".spec.ts"}

var proseTemplates = []string{
	"%W %w %w %w %w %w %w, %w %w %w %w %w %w %w. ", "%W %w %w `%i` %w %w %w %w %w %w %w. ", "%W \"%w %w\" %w %w %w in `%p`, %w %w %w %w. ",
	"%W %w %w %w %w: %w %w %w %w %w %w. ", "%W %w doesn't %w %w \"%w\" %w %w %w %w %w. ", "%W %w %w %w %w %w %w %w, %w %w %w.\n\n",
	"- **%W %w**: %w %w \"%w %w\" `%p:%n` %w %w %w %w\n", "%n. %W %w %w %w %w %w %w %w %w %w %w\n", "## %W %w %w %w %w\n\n", "%W %w: `%i(\"%w\")` → %w %w %w %w %w %w. ",
}

var codeTemplates = []string{
	"func (s *%I) %I(ctx context.Context, %i string, %i ...%I) (*%I, error) {\n", "    if err != nil { // %w %w %w %w %w\n",
	"        return nil, fmt.Errorf(\"%w %w %w: %%w\", err)\n", "    }\n", "\n", "    %i, %i := %i.%i(ctx, \"%w\", %n), %i.%i[\"%w\"]\n",
	"// %I %w %w %w %w %w %w %w %w %w %w %w %w %w %w.\n", "\tfor _, %i := range s.%i { %i.%i(%i, %i(%i)) }\n", "import { %I, %I, %I } from '../%w/%i';\n",
	"  const [%i, set%I] = useState<%I | null>(null); // %w %w %w\n", "          return <%I className=\"flex %w\" title=\"%w %w\" onClick={() => %i(%i)} />;\n",
	"export async function %i(%i: string, %i = %n, %i: %I[] = []): Promise<%I> {\n", "    const %i = await this.%i.find({ where: { %i, %i: \"%w\" }, take: %n });\n",
	"    });\n", "    def %i(self, %i: str, *, %i: int = %n) -> dict[str, %I]:  # %w %w\n", "    \"\"\"%W %w %w %w %w %w %w %w %w %w.\"\"\"\n",
	"            %i = self.%i[%i] if %i is not None else %i.%i(%i, %i=%n)\n", "            raise ValueError(f\"%w {%i} %w %w\", \"%w\")\n",
	"    re.sub(r\"^\\s*%w\\.(\\d+)$\", \"\\\\1\", %i)\n", "    expect(%i.%i(%i)).toEqual({ %i: \"%w\", %i: %n, %i: [%n, %n] });\n",
	"SELECT %i, count(*) FROM %i WHERE %i = '%w' GROUP BY 1 ORDER BY 2 DESC LIMIT %n;\n", "                    %i.%i(%i, %i, %i => %i.%i + %n);\n",
}

var outputTemplates = []string{
	"ok  \tgithub.com/acme/%w/%w\t%n.%ns\n", "--- FAIL: Test%I/%w_%w_%w_%w (%n.00s)\n", "    %p:%n: %w %w %w: got \"%w\", want \"%w\" %w %w %w\n",
	" \x1b[32m✓\x1b[39m %p > %w %w %w %w %w (%n tests) %nms\n", "%p:%n:%n - error TS2%n: Property \"%i\" does not exist on type \"%I\".\n",
	" %n files changed, %n insertions(+), %n deletions(-)\n", " M %p\n", "[%n/%n] %W %w %w %w %w %w %w %w %w %w\n",
	"INFO  %w %w %w %w %w=%n %w=%n %w=%i msg=\"%w %w %w %w\"\n", "2026-03-14T09:%n:00Z WARN %w/%w %w %w %w %w %w %w %w in %nms\n",
	"added %n packages, and audited %n packages in %ns\n", "    at %I.%i (/home/dev/app/node_modules/%w/%p:%n:%n)\n",
	"-rw-r--r-- 1 dev dev %n%n Mar 14 09:%n %i.go\n", "%W %w %w %w %w %w %w %w %w %w %w %w\n", "\n",
}

var listingTemplates = []string{
	"%p\n", "/home/dev/app/%p\n", "%p:%n:    %i := %i.%i(%i, \"%w\")\n", "/home/dev/app/%p:%n:  %w %w %w %w %w %w %w %w\n",
	"/home/dev/app/%p-%n-  const %i = await %i.%i(\"%w\", %i);\n", "%p:%n:// %W %w %w %w %w %w %w\n",
}

var dataTemplates = []string{
	"{\"%i\": \"%w %w %w %w %w\", \"%i\": %n, \"%i\": [%n, %n, %n, %n, %n]},\n", "    \"%i\": {\n", "        \"%i\": \"%w %w %w %w %w %w %w\",\n", "        \"%i\": %n.%n,\n",
	"        \"path\": \"C:\\\\Users\\\\dev\\\\%w\\\\%i\",\n", "        \"url\": \"https://example.com/%w/%w/%w/%w?%i=%n&%i=%w\",\n",
	"        \"html\": \"<p class=\\\"%w\\\">%w %w %w %w %w %w %w %w</p>\",\n", "            - heading \"%W %w %w %w\" [level=%n] [ref=e%n]\n",
	"              - link [ref=e%n] [cursor=pointer]: %w %w %w %w %w %w\n", "%p\n", "  - %W %w %w %w %w %w %w %w %w %w %w %w %w\n",
}

var worldTemplates = []string{
	"这个函数 %i 返回一个空的列表，请检查 `%p` 里的测试。\n", "修复登录页面的问题 %w %w 😀 ", "データベースの移行が失敗しました: %w %w。\n", "Überprüfe bitte, ob die Änderung größer ist: %w. ",
	"Le fichier « %p » a été modifié, voilà la différence é è à ç. ", "Проверь, почему тест %i не проходит. ", "🎉 ✅ %w %w — “%w” … ", "\u2500\u2500\u2500 %w \u2502 %n \u2502\n",
	"\x00\x00%w\x00\x1b[1m%w\x1b[0m\x7f ", "한국어 텍스트 %w 입니다. ", "👩‍💻🧪 %w %w 𝒳 %n\n", "naïve café \u00a0 %w\ufffd ",
}
