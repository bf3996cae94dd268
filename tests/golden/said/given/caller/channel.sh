# A channel that behaves as its first word says.
case $1 in
  good|late|wrong|deny|twice|quit) echo '{"type":"ready","protocol":"ergo-egress.v1","handled_kinds":["ring"]}' ;;
  other) echo '{"type":"ready","protocol":"ergo-egress.v1","handled_kinds":["else"]}' ;;
  double) echo '{"type":"ready","protocol":"ergo-egress.v1","handled_kinds":["ring","ring"]}' ;;
  old) echo '{"type":"ready","protocol":"ergo-egress.v0","handled_kinds":["ring"]}' ;;
  mute) sleep 9 ;;
  noise) echo nonsense ;;
  gone) exit 3 ;;
esac
while read -r line; do
  case $line in *'"end"'*) exit 0 ;; esac
  id=$(printf '%s' "$line" | sed 's/.*"intent_id": *"\([^"]*\)".*/\1/')
  case $1 in
    good) echo "{\"type\":\"intent_ack\",\"intent_id\":\"$id\",\"status\":\"accepted\",\"acceptance\":\"durable\"}" ;;
    wrong) echo '{"type":"intent_ack","intent_id":"other","status":"accepted","acceptance":"durable"}' ;;
    deny) echo "{\"type\":\"intent_ack\",\"intent_id\":\"$id\",\"status\":\"refused\",\"acceptance\":\"durable\"}" ;;
    twice) echo nonsense ;;
    quit) exit 0 ;;
  esac
done
