package dev.varve.platform.template;

import java.util.List;

/** Argument of {@code dict(...)} and {@code update(...)}: a dict, or a sequence of pairs. */
final class DictSource {
    private DictSource() {}

    static void addAll(RenderContext runtime, Dict target, Value source) {
        if (source instanceof Dict dict) {
            runtime.budget().objects(dict.size());
            List.copyOf(dict.entries()).forEach(entry -> target.put(entry.key(), entry.value()));
            return;
        }
        for (Value item : runtime.items(source)) {
            List<Value> pair = runtime.items(item);
            if (pair.size() != 2) {
                throw new EvaluationError(
                        "a dict is made of pairs, found " + pair.size() + " values");
            }
            target.put(pair.get(0), pair.get(1));
        }
    }
}
