# Completion of varve for fish: source this file, or put it into ~/.config/fish/completions.

function __varve_pulled
    set -l hub $HF_HUB_CACHE
    if test -z "$hub"
        set -l home $HF_HOME
        if test -z "$home"
            set -l cache $XDG_CACHE_HOME
            test -n "$cache"; or set cache ~/.cache
            set home $cache/huggingface
        end
        set hub $home/hub
    end
    for folder in (find $hub -maxdepth 1 -type d -name 'models--*--*' 2>/dev/null)
        if test -n "$(find $folder/snapshots -name '*.gguf' 2>/dev/null | head -n 1)"
            string replace -r '.*/models--' '' -- $folder | string replace -- -- / | string replace -r '^' -- "$argv[1]"
        end
    end
end

function __varve_models
    string join \n -- @DEMOS@
    __varve_pulled hf:
end

complete -c varve -f
@COMPLETIONS@
