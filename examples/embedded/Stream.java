import dev.varve.embedded.*;

void main(String[] arguments) {
    try (Varve model = Varve.open(Path.of(arguments[0]))) {
        var printer = new ChatListener() {
            public void onText(String text) {
                IO.print(text);
            }
        };
        var response = model.start(ChatRequest.of("What is a layer split?"), printer).await();
        IO.println("\n" + response.usage().responseTokens() + " tokens");
    }
}
