package dev.varve.platform.grammar.gbnf;

import dev.varve.platform.grammar.pattern.TextRegexBuilder;
import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Expressions of the regular parts of rules, up to a size. */
final class GbnfTerminals {
    private static final int MOST_SIZE = 4000;

    private final TextRegexBuilder text;
    private final RegexStore store;
    private final Map<String, Sized> regular = new HashMap<>();

    /** An expression, with the number of its parts. */
    private record Sized(Regex regex, int size) {}

    GbnfTerminals(TextRegexBuilder text, Map<String, GbnfNode> rules) {
        this.text = text;
        store = text.store();
        findRegular(rules);
    }

    /** Visits rules after those that they refer to, and skips recursive ones. */
    private void findRegular(Map<String, GbnfNode> rules) {
        Map<String, Set<String>> needs = new HashMap<>();
        Map<String, List<String>> users = new HashMap<>();
        Deque<String> ready = new ArrayDeque<>();
        rules.forEach(
                (name, node) -> {
                    Set<String> needed = new HashSet<>();
                    node.references(reference -> needed.add(reference.rule()));
                    needs.put(name, needed);
                    needed.forEach(
                            each -> users.computeIfAbsent(each, _ -> new ArrayList<>()).add(name));
                    if (needed.isEmpty()) {
                        ready.add(name);
                    }
                });
        while (!ready.isEmpty()) {
            String name = ready.remove();
            sized(rules.get(name)).ifPresent(found -> regular.put(name, found));
            for (String user : users.getOrDefault(name, List.of())) {
                needs.get(user).remove(name);
                if (needs.get(user).isEmpty()) {
                    ready.add(user);
                }
            }
        }
    }

    /** Returns the expression of a part; empty if it has none, or one that is too large. */
    Optional<Regex> of(GbnfNode node) {
        return sized(node).map(Sized::regex);
    }

    private Optional<Sized> sized(GbnfNode node) {
        Optional<Sized> found =
                switch (node) {
                    case GbnfNode.Literal(String value) ->
                            Optional.of(new Sized(text.literal(value), value.length()));
                    case GbnfNode.Characters(var set) ->
                            Optional.of(new Sized(text.character(set), 1));
                    case GbnfNode.Sequence(List<GbnfNode> parts) ->
                            all(parts)
                                    .map(
                                            sized ->
                                                    new Sized(
                                                            store.concat(regexes(sized)),
                                                            size(sized)));
                    case GbnfNode.Choice(List<GbnfNode> parts) ->
                            all(parts)
                                    .map(sized -> new Sized(store.or(regexes(sized)), size(sized)));
                    case GbnfNode.Repeat(GbnfNode part, int least, int most) ->
                            sized(part)
                                    .map(
                                            sized ->
                                                    new Sized(
                                                            store.repeat(sized.regex, least, most),
                                                            sized.size + 1));
                    case GbnfNode.Reference reference ->
                            Optional.ofNullable(regular.get(reference.rule()));
                };
        return found.filter(sized -> sized.size <= MOST_SIZE);
    }

    private Optional<List<Sized>> all(List<GbnfNode> parts) {
        List<Sized> all = new ArrayList<>();
        for (GbnfNode part : parts) {
            Optional<Sized> sized = sized(part);
            if (sized.isEmpty()) {
                return Optional.empty();
            }
            all.add(sized.get());
        }
        return Optional.of(all);
    }

    private static Regex[] regexes(List<Sized> parts) {
        return parts.stream().map(Sized::regex).toArray(Regex[]::new);
    }

    private static int size(List<Sized> parts) {
        return Math.toIntExact(
                Math.min(Integer.MAX_VALUE, parts.stream().mapToLong(Sized::size).sum()));
    }
}
