package dev.varve.platform.chat;

import dev.varve.api.model.CallableTool;
import dev.varve.api.model.JsonStrings;
import dev.varve.api.model.ToolCallOutput;
import dev.varve.api.model.ToolCallParser;
import dev.varve.api.model.ToolSyntax;

import java.util.List;
import java.util.Optional;

/** A family's own markup: {@code NAME key=value;key=value}, one call on each line. */
final class LineSyntax implements ToolSyntax.Custom {
    @Override
    public String open() {
        return "<tool_call>";
    }

    @Override
    public String close() {
        return "</tool_call>";
    }

    @Override
    public String beforeName() {
        return "";
    }

    @Override
    public String afterName() {
        return " ";
    }

    @Override
    public ToolCallParser parser(List<CallableTool> tools, ToolCallOutput output) {
        return new LineParser(tools, output);
    }

    private static final class LineParser implements ToolCallParser {
        private final List<CallableTool> tools;
        private final ToolCallOutput output;
        private final StringBuilder text = new StringBuilder();
        private Optional<CallableTool> tool = Optional.empty();
        private Optional<String> key = Optional.empty();
        private boolean hasMembers;
        private boolean begun;
        private boolean rejected;

        private LineParser(List<CallableTool> tools, ToolCallOutput output) {
            this.tools = tools;
            this.output = output;
        }

        @Override
        public void push(String more) {
            for (int index = 0; index < more.length() && !rejected; index++) {
                push(more.charAt(index));
            }
        }

        private void push(char next) {
            if (next == '\n') {
                endCall();
            } else if (tool.isEmpty() && next == ' ') {
                name();
            } else if (tool.isPresent() && key.isEmpty() && next == '=') {
                key = Optional.of(take());
            } else if (tool.isPresent() && key.isPresent() && next == ';') {
                member();
            } else {
                text.append(next);
            }
        }

        private void name() {
            String name = take();
            tool = tools.stream().filter(known -> known.name().equals(name)).findFirst();
            if (tool.isPresent()) {
                output.begin(name);
                begun = true;
                hasMembers = false;
            } else {
                rejected = !begun;
            }
        }

        private void member() {
            output.append((hasMembers ? "," : "{") + JsonStrings.quoted(key.orElseThrow()) + ":");
            output.append(tool.orElseThrow().argument(key.get(), take()));
            hasMembers = true;
            key = Optional.empty();
        }

        private void endCall() {
            if (tool.isEmpty() && !text.isEmpty()) {
                name();
            }
            if (key.isPresent()) {
                member();
            }
            if (tool.isPresent()) {
                output.append(hasMembers ? "}" : "{}");
                tool = Optional.empty();
            }
            text.setLength(0);
        }

        @Override
        public boolean isRejected() {
            return rejected;
        }

        @Override
        public boolean isComplete() {
            return false;
        }

        @Override
        public void close() {
            endCall();
            rejected = !begun;
        }

        private String take() {
            String taken = text.toString();
            text.setLength(0);
            return taken;
        }
    }
}
