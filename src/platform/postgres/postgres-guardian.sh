#!/bin/sh
# A program of its own: `sh postgres-guardian.sh <log file> <command> [arguments]`, with a pipe from the shop.
#
# It runs the command, and ends it when the pipe closes, which the kernel sees to however the shop ended. It exits
# with the command, so it cannot be left over, and says why on its error output. It ignores signals on purpose:
# when a service manager sends SIGTERM to every process at once, the shop still needs its database to finish
# requests in flight. Against `kill -9` of the guardian itself see `parentDeathOptions` in postgres-binaries.ts.
#
# A shell, because a Node process would take as much memory as PostgreSQL does.
max_log_bytes=1000000
log=$1
shift
umask 077
trap '' INT TERM HUP
# The shell's own messages about its child processes are not the reason, so they go nowhere.
exec 3<&0 4>&2 </dev/null 2>/dev/null

run() {
  "$@" 2>&1 >/dev/null 3<&- 4>&- &
  server=$!
  end_with_shop &
  wait $server
  ended=$?
  kill -s KILL $!
  # Sent as a line of text, because processes of a killed server may keep the log's pipe open for a while.
  printf 'guardian: %s\n' $ended
}

end_with_shop() {
  exec >/dev/null 4>&-
  while read -r _ <&3; do :; done
  for signal in INT INT INT INT INT QUIT QUIT QUIT QUIT QUIT KILL; do
    # Once the server is gone, its pid may belong to another process.
    kill -s $signal $server || exit
    sleep 1
  done
}

keep_log() {
  bytes=$(wc -c <"$log") || bytes=0
  while IFS= read -r line; do
    case $line in
      'guardian: '*) ended=${line#guardian: } && return ;;
      # Whatever follows one of these two is a consequence of it.
      *'No space left'*) cause='No space left on its disk' ;;
      *PANIC:*) cause=${cause:-${line#*PANIC:}} ;;
      # What a starting or stopping server tells its clients is not the reason.
      *'FATAL:  the database system is '*) ;;
      *'was terminated by signal'*) problem=${line#*LOG:} ;;
      *FATAL:*) problem=${line#*FATAL:} ;;
      *error:*) problem=${line#*error:} ;;
    esac
    last=$line
    # A full disk must not end the guardian.
    printf '%s\n' "$line" >>"$log"
    bytes=$((bytes + ${#line} + 1))
    [ $bytes -le $max_log_bytes ] || { mv -f "$log" "$log.1" && bytes=0; }
  done
}

tell_end() {
  [ "$ended" -le 128 ] || problem="ended by SIG$(kill -l "$ended")"
  reason=${cause:-${problem:-${last:-exit code $ended}}}
  printf '%s' "${reason#"${reason%%[! ]*}"}" >&4
  exit "$ended"
}

run "$@" | {
  ended=1 problem='' last='' cause=''
  keep_log
  tell_end
}
