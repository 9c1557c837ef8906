package dev.varve.platform.grammar.pattern;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;

/** The properties of code points that {@code \p} names, by the Unicode version of this Java. */
final class UnicodeProperties {
    /** Names of general categories, with the short ones that each includes. */
    private static final String CATEGORIES =
            """
            Lu Uppercase_Letter
            Ll Lowercase_Letter
            Lt Titlecase_Letter
            Lm Modifier_Letter
            Lo Other_Letter
            Mn Nonspacing_Mark
            Mc Spacing_Mark
            Me Enclosing_Mark
            Nd Decimal_Number digit
            Nl Letter_Number
            No Other_Number
            Pc Connector_Punctuation
            Pd Dash_Punctuation
            Ps Open_Punctuation
            Pe Close_Punctuation
            Pi Initial_Punctuation
            Pf Final_Punctuation
            Po Other_Punctuation
            Sm Math_Symbol
            Sc Currency_Symbol
            Sk Modifier_Symbol
            So Other_Symbol
            Zs Space_Separator
            Zl Line_Separator
            Zp Paragraph_Separator
            Cc Control cntrl
            Cf Format
            Cs Surrogate
            Co Private_Use
            Cn Unassigned
            L=Lu|Ll|Lt|Lm|Lo Letter
            LC=Lu|Ll|Lt Cased_Letter
            M=Mn|Mc|Me Mark Combining_Mark
            N=Nd|Nl|No Number
            P=Pc|Pd|Ps|Pe|Pi|Pf|Po Punctuation punct
            S=Sm|Sc|Sk|So Symbol
            Z=Zs|Zl|Zp Separator
            C=Cc|Cf|Cs|Co|Cn Other
            """;

    private static final Map<String, IntPredicate> BINARY =
            Map.ofEntries(
                    Map.entry("Any", _ -> true),
                    Map.entry("ASCII", codePoint -> codePoint < 0x80),
                    Map.entry("Assigned", Character::isDefined),
                    Map.entry("Alphabetic", Character::isAlphabetic),
                    Map.entry("Alpha", Character::isAlphabetic),
                    Map.entry("Lowercase", Character::isLowerCase),
                    Map.entry("Lower", Character::isLowerCase),
                    Map.entry("Uppercase", Character::isUpperCase),
                    Map.entry("Upper", Character::isUpperCase),
                    Map.entry("Ideographic", Character::isIdeographic),
                    Map.entry("Ideo", Character::isIdeographic),
                    Map.entry("White_Space", UnicodeProperties::isWhiteSpace),
                    Map.entry("space", UnicodeProperties::isWhiteSpace),
                    Map.entry("ASCII_Hex_Digit", UnicodeProperties::isHexDigit),
                    Map.entry("AHex", UnicodeProperties::isHexDigit),
                    Map.entry("Emoji", Character::isEmoji),
                    Map.entry("Emoji_Presentation", Character::isEmojiPresentation),
                    Map.entry("Extended_Pictographic", Character::isExtendedPictographic));

    private UnicodeProperties() {}

    /** The tables; created when a pattern first uses a property. */
    private static final class Tables {
        private static final Map<String, CodePointSet> CATEGORY = categories();
        private static final Map<Character.UnicodeScript, CodePointSet> SCRIPT =
                sets(Character.UnicodeScript::of);
        private static final Map<String, CodePointSet> BINARY_SETS =
                BINARY.entrySet().stream()
                        .collect(
                                Collectors.toMap(
                                        Map.Entry::getKey, entry -> scan(entry.getValue())));

        private static CodePointSet scan(IntPredicate member) {
            return sets(member::test).getOrDefault(true, CodePointSet.NONE);
        }

        private static Map<String, CodePointSet> categories() {
            Map<Integer, CodePointSet> byType = sets(Character::getType);
            Map<String, CodePointSet> byName = new HashMap<>();
            for (String line : CATEGORIES.lines().toList()) {
                List<String> names = List.of(line.split(" "));
                String[] parts = names.getFirst().split("[=|]");
                CodePointSet set =
                        parts.length == 1
                                ? byType.getOrDefault(typeOf(parts[0]), CodePointSet.NONE)
                                : CodePointSet.union(
                                        List.of(parts).stream().skip(1).map(byName::get).toList());
                byName.put(parts[0], set);
                names.stream().skip(1).forEach(name -> byName.put(name, set));
            }
            return byName;
        }

        private static int typeOf(String name) {
            return switch (name) {
                case "Lu" -> Character.UPPERCASE_LETTER;
                case "Ll" -> Character.LOWERCASE_LETTER;
                case "Lt" -> Character.TITLECASE_LETTER;
                case "Lm" -> Character.MODIFIER_LETTER;
                case "Lo" -> Character.OTHER_LETTER;
                case "Mn" -> Character.NON_SPACING_MARK;
                case "Mc" -> Character.COMBINING_SPACING_MARK;
                case "Me" -> Character.ENCLOSING_MARK;
                case "Nd" -> Character.DECIMAL_DIGIT_NUMBER;
                case "Nl" -> Character.LETTER_NUMBER;
                case "No" -> Character.OTHER_NUMBER;
                case "Pc" -> Character.CONNECTOR_PUNCTUATION;
                case "Pd" -> Character.DASH_PUNCTUATION;
                case "Ps" -> Character.START_PUNCTUATION;
                case "Pe" -> Character.END_PUNCTUATION;
                case "Pi" -> Character.INITIAL_QUOTE_PUNCTUATION;
                case "Pf" -> Character.FINAL_QUOTE_PUNCTUATION;
                case "Po" -> Character.OTHER_PUNCTUATION;
                case "Sm" -> Character.MATH_SYMBOL;
                case "Sc" -> Character.CURRENCY_SYMBOL;
                case "Sk" -> Character.MODIFIER_SYMBOL;
                case "So" -> Character.OTHER_SYMBOL;
                case "Zs" -> Character.SPACE_SEPARATOR;
                case "Zl" -> Character.LINE_SEPARATOR;
                case "Zp" -> Character.PARAGRAPH_SEPARATOR;
                case "Cc" -> Character.CONTROL;
                case "Cf" -> Character.FORMAT;
                case "Cs" -> Character.SURROGATE;
                case "Co" -> Character.PRIVATE_USE;
                default -> Character.UNASSIGNED;
            };
        }

        /** The sets of code points with equal values. */
        private static <V> Map<V, CodePointSet> sets(IntFunction<V> valueOf) {
            Map<V, List<CodePointSet>> ranges = new HashMap<>();
            int first = 0;
            V value = valueOf.apply(0);
            for (int codePoint = 1; codePoint <= Character.MAX_CODE_POINT + 1; codePoint++) {
                V next = codePoint > Character.MAX_CODE_POINT ? null : valueOf.apply(codePoint);
                if (!value.equals(next)) {
                    ranges.computeIfAbsent(value, _ -> new ArrayList<>())
                            .add(CodePointSet.range(first, codePoint - 1));
                    first = codePoint;
                    value = next;
                }
            }
            return ranges.entrySet().stream()
                    .collect(
                            Collectors.toMap(
                                    Map.Entry::getKey,
                                    entry -> CodePointSet.union(entry.getValue())));
        }
    }

    /**
     * The code points of the text between the braces: a general category, a binary property, or
     * {@code Script=} or {@code General_Category=} and a name. Empty if it is unknown.
     */
    static Optional<CodePointSet> of(String text) {
        int equals = text.indexOf('=');
        if (equals < 0) {
            CodePointSet category = Tables.CATEGORY.get(text);
            return category != null
                    ? Optional.of(category)
                    : Optional.ofNullable(Tables.BINARY_SETS.get(text));
        }
        String value = text.substring(equals + 1);
        return switch (text.substring(0, equals)) {
            case "General_Category", "gc" -> Optional.ofNullable(Tables.CATEGORY.get(value));
            case "Script", "sc" -> script(value);
            default -> Optional.empty();
        };
    }

    private static Optional<CodePointSet> script(String name) {
        try {
            // Java accepts any case; ECMA-262 only the one of the Unicode character database.
            return name.isEmpty() || Character.isLowerCase(name.charAt(0))
                    ? Optional.empty()
                    : Optional.ofNullable(
                            Tables.SCRIPT.get(
                                    Character.UnicodeScript.forName(
                                            name.toUpperCase(Locale.ROOT))));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static boolean isWhiteSpace(int codePoint) {
        return codePoint == 0x85
                || CharacterClasses.SPACE.contains(codePoint) && codePoint != 0xFEFF;
    }

    private static boolean isHexDigit(int codePoint) {
        return codePoint < 0x80 && Character.digit(codePoint, 16) >= 0;
    }
}
