package dev.varve.platform.grammar.regex;

import java.util.HashMap;
import java.util.Map;

/**
 * Decides by the form of an expression whether all plain characters lead to one expression. This is
 * so for a repetition of an expression that matches exactly one plain character, before an
 * expression that no plain character begins. Saves one derivative per character where only a
 * counter changes.
 */
final class PlainTransitionCheck {
    private final RegexStore store;
    private final ByteClasses classes;
    private final Map<Regex, Boolean> whole = new HashMap<>();
    private final Map<Regex, Boolean> strange = new HashMap<>();

    PlainTransitionCheck(RegexStore store, ByteClasses classes) {
        this.store = store;
        this.classes = classes;
    }

    void clear() {
        whole.clear();
        strange.clear();
    }

    boolean isUniform(Regex regex) {
        return switch (regex.kind) {
            case REPEAT -> isWhole(regex.parts[0]);
            case CONCAT ->
                    regex.parts[0].kind == Regex.Kind.REPEAT
                            && isWhole(regex.parts[0].parts[0])
                            && isStrange(regex.parts[1]);
            default -> false;
        };
    }

    /** Returns whether every plain character is a text of it that cannot be longer. */
    private boolean isWhole(Regex regex) {
        return whole.computeIfAbsent(regex, part -> everyCharacterLeads(part, store.empty()));
    }

    /** Returns whether no plain character begins a text of it. */
    private boolean isStrange(Regex regex) {
        return strange.computeIfAbsent(regex, part -> everyCharacterLeads(part, store.nothing()));
    }

    private boolean everyCharacterLeads(Regex regex, Regex target) {
        store.footprint().add(Footprint.ENTRY);
        boolean[] seen = new boolean[classes.count()];
        for (int value = 0; value < 0x80; value++) {
            if (PlainCharacters.isPlainAscii(value) && !seen[classes.of(value)]) {
                seen[classes.of(value)] = true;
                if (store.derive(regex, value) != target) {
                    return false;
                }
            }
        }
        for (int lead = 0xc2; lead <= 0xf4; lead++) {
            Regex rest = store.derive(regex, lead);
            int further = PlainCharacters.missing(lead) - 1;
            if (!leads(
                    rest,
                    PlainCharacters.least(lead),
                    PlainCharacters.most(lead),
                    further,
                    target)) {
                return false;
            }
        }
        return true;
    }

    private boolean leads(Regex regex, int least, int most, int further, Regex target) {
        if (regex == store.nothing() || target == store.nothing()) {
            return regex == target;
        }
        int before = -1;
        for (int value = least; value <= most; value++) {
            if (classes.of(value) != before) {
                before = classes.of(value);
                Regex rest = store.derive(regex, value);
                if (further == 0 ? rest != target : !leads(rest, 0x80, 0xbf, further - 1, target)) {
                    return false;
                }
            }
        }
        return true;
    }
}
