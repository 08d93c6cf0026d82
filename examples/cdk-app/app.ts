import { App } from 'aws-cdk-lib';
import { ReceiptsStack } from './receipts-stack.ts';

const app = new App();
new ReceiptsStack(app, 'Receipts', {
  apiAddress: 'https://api.example.invalid',
  alarmEmail: 'books@example.com',
});
app.synth();
