package dev.varve.platform.template;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A dict in insertion order. Keys that are equal in Python, such as 1, 1.0 and True, are one key.
 */
final class Dict implements Value {
    /** Key as first written, and its value. */
    record Entry(Value key, Value value) {}

    private final Map<Object, Entry> entries = new LinkedHashMap<>();

    int size() {
        return entries.size();
    }

    boolean contains(Value key) {
        return entries.containsKey(identity(key));
    }

    Optional<Value> get(Value key) {
        return Optional.ofNullable(entries.get(identity(key))).map(Entry::value);
    }

    void put(Value key, Value value) {
        entries.merge(
                identity(key), new Entry(key, value), (old, added) -> new Entry(old.key(), value));
    }

    Optional<Value> remove(Value key) {
        return Optional.ofNullable(entries.remove(identity(key))).map(Entry::value);
    }

    void clear() {
        entries.clear();
    }

    Collection<Entry> entries() {
        return entries.values();
    }

    List<Value> keys() {
        List<Value> keys = new ArrayList<>(entries.size());
        entries.values().forEach(entry -> keys.add(entry.key()));
        return keys;
    }

    List<Value> values() {
        List<Value> values = new ArrayList<>(entries.size());
        entries.values().forEach(entry -> values.add(entry.value()));
        return values;
    }

    List<Value> items() {
        List<Value> items = new ArrayList<>(entries.size());
        entries.values().forEach(entry -> items.add(Sequence.tuple(entry.key(), entry.value())));
        return items;
    }

    @Override
    public String typeName() {
        return "dict";
    }

    /** Returns an object that is equal for keys that are equal in Python. */
    static Object identity(Value key) {
        return switch (key) {
            case TemplateString string -> string.text();
            case Value.Bool bool -> bool.value() ? BigInteger.ONE : BigInteger.ZERO;
            case Value.Int integer -> integer.value();
            case Value.Real real -> identity(real.value());
            case Value.Sequence sequence when sequence.shape().isHashable() -> {
                List<Object> parts = new ArrayList<>(sequence.items().size());
                sequence.items().forEach(item -> parts.add(identity(item)));
                yield parts;
            }
            case Value.Undefined undefined -> Value.Undefined.class;
            case Value.None none -> none;
            case Value.Callable callable -> callable;
            case Value.Sequence sequence -> throw unhashable(sequence);
            case Dict dict -> throw unhashable(dict);
            case Value.Generator generator -> generator;
            case NamespaceObject namespace -> namespace;
            case Loop loop -> loop;
        };
    }

    private static Object identity(double value) {
        boolean whole = !Double.isInfinite(value) && value == Math.rint(value);
        return whole ? (Object) new BigDecimal(value).toBigInteger() : (Object) value;
    }

    private static EvaluationError unhashable(Value key) {
        return new EvaluationError("a key must not be of the mutable type " + key.typeName());
    }
}
