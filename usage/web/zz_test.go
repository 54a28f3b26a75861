package web
import ("testing";"os";"github.com/ccwatchd/ccwatchd/test/usagetest")
func TestDump(t *testing.T){
 for _,x:=range [][3]string{{"first-week","","fw"},{"heavy","?range=1y","h1y"},{"heavy","?range=90d","h90"},{"heavy","?range=30d","h30"}} {
 _,p:=get(t,newTestPage(usagetest.NewScene(x[0],now)),x[1]); os.WriteFile("/tmp/page-"+x[2]+".html",[]byte(p),0o600)}
}
