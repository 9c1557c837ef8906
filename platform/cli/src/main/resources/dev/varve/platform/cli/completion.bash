# Completion of varve for bash: source this file.

@COMMON@
_varve_reply() {
  local current=$1 word head=
  # bash replaces only the text after the last colon.
  [[ $COMP_WORDBREAKS == *:* && $current == *:* ]] && head=${current%"${current##*:}"}
  while IFS= read -r word; do
    [[ -n $word && $word == "$current"* ]] && COMPREPLY+=("${word#"$head"}")
  done
}

_varve_files() {
  local current=$1 word head=
  [[ $COMP_WORDBREAKS == *:* && $current == *:* ]] && head=${current%"${current##*:}"}
  compopt -o filenames 2>/dev/null
  while IFS= read -r word; do
    COMPREPLY+=("${word#"$head"}")
  done < <(compgen "$2" -- "$current")
}

_varve() {
  local line=${COMP_LINE:0:COMP_POINT} current command option= list= position=
  local -a words kind
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  COMPREPLY=()
  current=${words[${#words[@]}-1]}
  command=${words[1]:-}
  if ((${#words[@]} <= 2)); then
    _varve_reply "$current" < <(_varve_commands; printf '%s\n' --help --version)
    return
  fi
  if [[ $current == --*=* ]]; then
    option=${current%%=*}
    current=${current#*=}
  elif [[ ${words[${#words[@]}-2]} == -* ]]; then
    option=${words[${#words[@]}-2]}
  fi
  ((${#words[@]} > 3)) && [[ ${words[2]} != -* ]] && position=2
  read -ra kind <<<"$(_varve_values "$command" "${option:-$position}")"
  if [[ -n $option && ${#kind[@]} == 0 ]]; then
    # The option before has no value.
    option=
    read -ra kind <<<"$(_varve_values "$command" "$position")"
  fi
  if [[ -z $option && $current == -* ]]; then
    _varve_reply "$current" < <(_varve_options "$command")
    return
  fi
  case "${kind[0]:-}" in
    values) _varve_reply "$current" < <(printf '%s\n' "${kind[@]:1}") ;;
    list)
      [[ $current == *,* ]] && list=${current%"${current##*,}"}
      _varve_reply "$current" < <(printf "$list%s\n" "${kind[@]:1}")
      ;;
    model | hub)
      _varve_reply "$current" < <(_varve_models "${kind[0]}")
      [[ ${kind[0]} == model ]] && _varve_files "$current" -f
      ;;
    file)
      _varve_reply "$current" < <(printf '%s\n' "${kind[@]:1}")
      _varve_files "$current" -f
      ;;
    folder) _varve_files "$current" -d ;;
    '') [[ -n $option ]] || _varve_reply "$current" < <(_varve_options "$command") ;;
  esac
}

complete -F _varve varve
