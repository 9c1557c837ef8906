package dev.varve.platform.template;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A path such as {@code function.name} or {@code 0.id} that filters take as {@code attribute}. */
final class AttributePath {
    private final Attributes attributes;
    private final List<Value> parts;
    private final Optional<Value> fallback;

    private AttributePath(Attributes attributes, List<Value> parts, Optional<Value> fallback) {
        this.attributes = attributes;
        this.parts = parts;
        this.fallback = fallback;
    }

    /** Returns the path, or nothing for an absent one and for {@code None}. */
    static Optional<AttributePath> of(RenderContext runtime, Optional<Value> path) {
        return path.filter(value -> !(value instanceof Value.None))
                .map(
                        value ->
                                switch (value) {
                                    case TemplateString string -> of(runtime, string);
                                    case Value.Int index ->
                                            new AttributePath(
                                                    new Attributes(runtime),
                                                    List.of(index),
                                                    Optional.empty());
                                    default ->
                                            throw new EvaluationError(
                                                    "an attribute is a name or a number, found "
                                                            + value.typeName());
                                });
    }

    private static AttributePath of(RenderContext runtime, TemplateString path) {
        List<Value> parts = new ArrayList<>();
        for (Value part :
                new TemplateStringOperations(runtime.budget())
                        .split(path, Optional.of(TemplateString.trusted(".")), -1)) {
            parts.add(
                    part instanceof TemplateString name && name.text().matches("[0-9]{1,9}")
                            ? new Value.Int(new BigInteger(name.text()))
                            : part);
        }
        return new AttributePath(new Attributes(runtime), parts, Optional.empty());
    }

    /** Returns the paths of a list separated by commas. */
    static List<AttributePath> several(RenderContext runtime, Optional<Value> paths) {
        if (!(paths.orElse(Value.NONE) instanceof TemplateString list)) {
            return of(runtime, paths).stream().toList();
        }
        List<AttributePath> several = new ArrayList<>();
        for (Value path :
                new TemplateStringOperations(runtime.budget())
                        .split(list, Optional.of(TemplateString.trusted(",")), -1)) {
            several.add(of(runtime, (TemplateString) path));
        }
        return several;
    }

    /** Returns a path that results in this value if the attribute is missing. */
    AttributePath orElse(Optional<Value> value) {
        return new AttributePath(attributes, parts, value);
    }

    Value of(Value item) {
        Value value = item;
        for (Value part : parts) {
            value = attributes.item(value, part);
            if (fallback.isPresent() && value instanceof Value.Undefined) {
                value = fallback.get();
            }
        }
        return value;
    }
}
