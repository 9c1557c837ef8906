#compdef varve
# Completion of varve for zsh: source this file, or put it into a folder of fpath as _varve.

@COMMON@
_varve() {
  local current=${words[CURRENT]} command=${words[2]} option= position=
  local -a kind
  if ((CURRENT == 2)); then
    compadd -- $(_varve_commands) --help --version
    return
  fi
  if [[ $current == --*=* ]]; then
    option=${current%%=*}
    compset -P '*='
  elif [[ ${words[CURRENT-1]} == -* ]]; then
    option=${words[CURRENT-1]}
  fi
  ((CURRENT > 3)) && [[ ${words[3]} != -* ]] && position=2
  kind=($(_varve_values "$command" "${option:-$position}"))
  if [[ -n $option && ${#kind} == 0 ]]; then
    option=
    kind=($(_varve_values "$command" "$position"))
  fi
  if [[ -z $option && $current == -* ]]; then
    compadd -- $(_varve_options "$command")
    return
  fi
  case "${kind[1]}" in
    values) compadd -- ${kind[2,-1]} ;;
    list)
      compset -P '*,'
      compadd -- ${kind[2,-1]}
      ;;
    model)
      compadd -- $(_varve_models model)
      _files
      ;;
    hub) compadd -- $(_varve_models hub) ;;
    file)
      ((${#kind} > 1)) && compadd -- ${kind[2,-1]}
      _files
      ;;
    folder) _files -/ ;;
    '') [[ -n $option ]] || compadd -- $(_varve_options "$command") ;;
  esac
}

if [[ ${funcstack[1]} == _varve ]]; then
  _varve "$@"
else
  compdef _varve varve
fi
