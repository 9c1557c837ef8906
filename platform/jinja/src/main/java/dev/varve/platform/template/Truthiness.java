package dev.varve.platform.template;

/** Truth of values. */
final class Truthiness {
    private Truthiness() {}

    static boolean of(Value value) {
        return switch (value) {
            case TemplateString string -> !string.isEmpty();
            case Value.None none -> false;
            case Value.Undefined undefined -> false;
            case Value.Bool bool -> bool.value();
            case Value.Int integer -> integer.value().signum() != 0;
            case Value.Real real -> real.value() != 0;
            case Value.Sequence sequence -> !sequence.items().isEmpty();
            case Dict dict -> dict.size() > 0;
            case Value.Generator generator -> true;
            case Value.Callable callable -> true;
            case NamespaceObject namespace -> true;
            case Loop loop -> true;
        };
    }
}
