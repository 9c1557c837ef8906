package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Lists the values of formulas with few values. */
final class FiniteValues {
    private static final int MOST_BYTES = 4096;

    private final SchemaNormalizer model;
    private final RegexStore store;

    FiniteValues(SchemaNormalizer model) {
        this.model = model;
        store = model.store();
    }

    /**
     * The texts of all values, one each; empty if there are more than {@code most}, or arrays or
     * objects.
     */
    Optional<List<String>> texts(Formula formula, int most) {
        NormalForm normal = model.normal(formula);
        NormalForm nothing = model.algebra().nothing();
        boolean scalar =
                model.emptiness()
                        .isEmpty(nothing.withArrays(normal.arrays()).withObjects(normal.objects()));
        boolean whole = normal.numbers().isNothing() || normal.numbers().integers();
        if (!scalar || !whole) {
            return Optional.empty();
        }
        List<String> all = new ArrayList<>();
        if (normal.isNull()) {
            all.add("null");
        }
        if (normal.isTrue()) {
            all.add("true");
        }
        if (normal.isFalse()) {
            all.add("false");
        }
        Regex numbers = model.numbers().texts(normal.numbers());
        Regex strings = normal.strings().contents();
        boolean few =
                list(numbers, all, "", most, new ByteArrayOutputStream())
                        && list(strings, all, "\"", most, new ByteArrayOutputStream());
        return few ? Optional.of(all) : Optional.empty();
    }

    private boolean list(
            Regex regex, List<String> into, String quote, int most, ByteArrayOutputStream text) {
        if (!store.isAlive(regex)) {
            return true;
        }
        if (text.size() > MOST_BYTES / 16 || into.size() > most) {
            return false;
        }
        if (regex.isNullable()) {
            into.add(quote + text.toString(StandardCharsets.UTF_8) + quote);
        }
        byte[] before = text.toByteArray();
        for (int value = 0; value < 256; value++) {
            ByteArrayOutputStream longer = new ByteArrayOutputStream();
            longer.writeBytes(before);
            longer.write(value);
            if (!list(store.derive(regex, value), into, quote, most, longer)) {
                return false;
            }
        }
        return into.size() <= most;
    }
}
