// Lets Node run the TypeScript of this repository, in threads too: what tsx brings by itself is for the first one only.
import { register } from "tsx/esm/api";

register();
