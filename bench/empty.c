/* The least a program can cost: what cli.start is measured against. */
int main(void)
{
    return 0;
}
